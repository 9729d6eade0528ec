// One line in full: what it costs by kernel, how its requests conflict, the worst one on the banks
// as it is and in another layout, and what checkers say of it.
const detailTitle = document.getElementById("detail-title");
const detailBody = document.getElementById("detail-body");

function cells(...values) {
  return values.map((value) => make("td", {class: typeof value === "number" ? "number" : "long"},
    typeof value === "number" ? count(value) : value));
}

function table(caption, heads, rows) {
  return make("div", {class: "wide"}, make("table", {}, caption ? make("caption", {}, caption) : null,
    make("thead", {}, make("tr", {}, heads.map((head) =>
      make("th", {scope: "col", class: head.startsWith("#") ? "number" : null}, head.replace("#", ""))))),
    make("tbody", {}, rows.map((row) => make("tr", {}, row)))));
}

// ---- By kernel ----------------------------------------------------------------------------------

function kernelTable(line, space) {
  const sums = line.sums.filter((sum) => sum[1] === space).sort((a, b) => excessOf(b[3]) - excessOf(a[3]));
  if (sums.length === 0) return null;
  const most = sums.reduce((largest, [, , , counts]) => Math.max(largest, counts[1]), 1);
  const units = space === 0 ? "wavefronts" : "sectors";
  const rows = firstOf(sums).map(([kernel, , launches, counts]) => [
    ...cells(words(kernel), launches, ...counts, excessOf(counts)), make("td", {class: "barred"}, bar(counts, most))]);
  return make("div", {}, table(space === 0 ? "Shared memory, by kernel" : "Global memory, by kernel",
    ["kernel", "#launches", "#requests", "#" + units, "#ideal", "#excess", ""], rows), restOf(sums, "kernels") || "");
}

// ---- One access ---------------------------------------------------------------------------------

function histogram(access) {
  const most = Math.max(...access.degrees.map((pair) => pair[1]), 1);
  const rows = access.degrees.map(([degree, requests]) => [...cells(degree + "-way", requests),
    make("td", {class: "barred"}, bar(degree > 1 ? [0, requests, 0] : [0, requests, requests], most))]);
  return rows.length ? table("Degrees of a launch's requests", ["degree", "#requests", ""], rows) : null;
}

function said(title, text) {
  return text ? [make("h3", {}, title), make("p", {class: "words"}, text)] : [];
}

function inlinedInto(access) {
  if (!access.inlined) return null;
  return "inlined into " + access.inlined.map(([file, line, name]) =>
    (words(name) || "a function") + " at " + (words(file) || "?") + ":" + line).join(", in ");
}

// The worst request as it is, and beside it in the layout that is picked, or that sliders make.
const OWN = {pad: "padded rows, by sliders", swizzle: "an XOR swizzle, by sliders", mirror: "mirrored rows, by sliders"};

function figure(title, drawn, picture, elements) {
  return make("figure", {}, make("figcaption", {}, make("strong", {}, title), ": " + pictureTitle(picture)), drawn.node,
    laneTable(picture, drawn.cells, elements));
}

// What may stand beside the request as it is: [words, the layout, its recorded picture or none].
function layoutChoices(access, hasModule) {
  const cured = (access.cured || []).filter((one) => one.picture !== null);
  const choices = cured.map((one) => ({words: words(one.words), layout: layoutOf(one.layout),
    picture: page.pictures[one.picture], first: one.offset}));
  const own = hasModule && access.request ? Object.entries(OWN) : [];
  if (own.length > 0 && choices.length === 0)
    choices.push({words: "as it is", layout: {...plainLayout("pad", access.request[3]), pad: 0}});
  return choices.concat(own.map(([kind, name]) => ({words: name, own: kind, layout: choices.find(
    (one) => one.picture && one.layout.kind === kind)?.layout || plainLayout(kind, access.request[3])})));
}

function pictures(access) {
  const before = page.pictures[access.picture];
  const told = make("output", {class: "told", "aria-live": "polite"},
    "A number is the wavefront that serves the lane; below each bank stands in how many of them it is read or written. Hover over a lane, or go to the picture and use arrow keys.");
  const wrap = make("div", {class: "pictures"}), row = make("output", {});
  const slider = make("input", {type: "range", min: 0, max: before.rows, value: 0, "aria-label": "Wavefront; 0 shows all"});
  const pick = make("select", {}), picked = make("label", {}, "Layout ", pick), tried = make("div");
  const elements = cellsOf(before, access.offset).map((cell) => elementName(access, cell.offset - 4 * cell.word));
  const asIs = drawPicture(before, access.offset, elements, "As it is", looked);
  const first = figure("As it is", asIs, before, elements);
  let drawn = [asIs], choices = [];
  // The same lane in all pictures.
  function looked(index) {
    for (const picture of drawn) picture.mark(index);
    told.textContent = drawn.map((picture) => picture.title + ", " + picture.labels[index]).join("\n");
  }
  function step() {
    const at = Number(slider.value);
    row.textContent = at === 0 ? "all" : at + " of " + slider.max;
    slider.setAttribute("aria-valuetext", row.textContent);
    for (const picture of drawn) picture.show(at);
  }
  function draw(second) {
    const after = second && second.picture, beside = after && drawPicture(after, second.first, elements, "In this layout", looked);
    drawn = after ? [asIs, beside] : [asIs];
    slider.max = Math.max(before.rows, after ? after.rows : 0);
    const refused = second && second.refused;
    wrap.classList.toggle("alone", !after && !refused);
    wrap.replaceChildren(first, ...(after ? [figure("In this layout", beside, after, elements)]
      : refused ? [make("p", {class: "warn refused", role: "status"}, refused)] : []));
    step();
  }
  // All that there is to choose, once it is known whether there is a module.
  function offer(instance) {
    choices = layoutChoices(access, instance !== null);
    pick.replaceChildren(...choices.map((choice, i) => make("option", {value: i}, choice.words)));
    picked.hidden = choices.length === 0;
    const index = make("output", {class: "code"});
    const sliders = instance && access.request ? layoutSliders(access.request[3], (layout) => {
      const own = choices.findIndex((choice) => choice.own === layout.kind);
      choices[own].layout = layout;
      pick.value = own;
      show();
    }) : null;
    tried.replaceChildren(sliders ? sliders.node : "");
    if (sliders) sliders.node.append(make("p", {}, "Element i lies at ", index));
    function show() {
      const choice = choices[Number(pick.value)];
      if (sliders) {
        sliders.show(choice.layout);
        index.textContent = indexOf(choice.layout);
      }
      draw(choice && choice.own ? {...redraw(instance, access, choice.layout), first: 0} : choice);
    }
    pick.onchange = show;
    show();
  }
  slider.addEventListener("input", step);
  offer(null);
  if (access.request) module.then((instance) => instance && offer(instance));
  const warp = "block (" + access.worst.slice(0, 3).join(", ") + "), warp " + access.worst[3];
  return [make("h3", {}, "The worst request: " + warp),
    make("div", {class: "picker"}, make("label", {}, "Wavefront ", slider), row, picked), tried,
    marksLegend(), wrap, told];
}

function layoutTable(access) {
  if (!access.cured || access.cured.length === 0) return null;
  const rows = access.cured.map((layout) =>
    cells(words(layout.words), layout.wavefronts, layout.ideal, layout.more_bytes));
  return table("Layouts that cure it: all requests of block 0 to the array, " + count(access.cured[0].of)
    + " wavefronts as it is", ["layout", "#wavefronts", "#ideal", "#bytes more"], rows);
}

function showAccess(access) {
  const counts = access.counts;
  const about = access.space === 0
    ? plural(counts[0], "request", "requests") + ", " + count(counts[1]) + " wavefronts, ideal " + count(counts[2])
    : plural(counts[0], "request", "requests") + ", " + count(counts[1]) + " sectors, ideal " + count(counts[2])
      + " (" + percent(counts[2], counts[1]) + " efficient)";
  return [make("p", {}, "In a launch: " + about + (access.about ? " (an estimate"
      + (access.behind ? ": the machine code loads it behind the branch at line " + access.behind : "") + ")" : "")
      + (access.certainty !== undefined ? "; the rule is " + words(access.certainty) : "") + "."),
    inlinedInto(access) ? make("p", {class: "dim"}, inlinedInto(access)) : null,
    words(access.why) ? make("p", {class: "words"}, "Why: " + words(access.why)) : null,
    ...(access.picture !== undefined && access.picture !== null ? pictures(access) : []),
    access.picture === null ? make("p", {class: "dim"}, "Its worst request is not drawn: the bank model has no rule "
      + "for it, or this page has as many pictures as it may.") : null,
    ...said("What helps", words(access.help)), layoutTable(access), access.space === 0 ? histogram(access) : null,
    ...said("For every block and input", words(access.proof)),
    ...said("Where it lies", words(access.bounds))].filter((part) => part !== null);
}

function accessName(access) {
  return words(access.access) + (access.column ? " (column " + access.column + ")" : "");
}

function launchName(launch) {
  return (launch.count > 1 ? plural(launch.count, "launch", "launches") + " from " : "launch ") + launch.first;
}

function accessPicker(line) {
  const body = make("div");
  const all = [...line.accesses].sort((a, b) => a.space - b.space || excessOf(b.counts) - excessOf(a.counts));
  const order = firstOf(all);
  const show = (index) => body.replaceChildren(...showAccess(order[index]));
  if (order.length === 0) return [];
  const pick = make("select", {id: "access", onchange: () => show(Number(pick.value))});
  for (const kernel of new Set(order.map((access) => page.launches[access.launch].kernel))) {
    const group = make("optgroup", {label: words(kernel)});
    order.forEach((access, i) => {
      const launch = page.launches[access.launch];
      if (launch.kernel === kernel)
        group.append(make("option", {value: i}, accessName(access) + ", " + launchName(launch)));
    });
    pick.append(group);
  }
  pick.value = "0";
  show(0);
  return [make("p", {class: "picker"}, make("label", {}, "Access ", pick)), restOf(all, "accesses with less excess", line.more), body];
}

// ---- Findings -----------------------------------------------------------------------------------

function findingItem(finding, from) {
  const places = finding.places.map((place) => {
    const line = place.file === null ? null : lineAt.get(place.file + ":" + place.line);
    const thread = place.thread ? " thread (" + place.thread.join(",") + ") of block (" + place.block.join(",") + ")" : "";
    const what = thread + " " + (words(place.role) || "") + (words(place.instruction) ? " by " + words(place.instruction) : "");
    return make("li", {}, line ? make("a", {href: linkTo(line), class: "place"}, line.name) : "no known line", what,
      line && line.code && line !== from ? make("div", {class: "code"}, line.code) : null);
  });
  const kind = make("span", {class: finding.note || finding.suppressed !== null ? "dim" : "bad"},
    (finding.note ? "note: " : "") + page.checks_words(finding) + ": ");
  return make("li", {}, kind, words(finding.message) + (words(finding.object) ? ": " + words(finding.object) : "")
      + (finding.count > 1 ? " (" + count(finding.count) + " times)" : ""),
    finding.suppressed !== null ? " (accepted: " + words(finding.suppressed) + ")" : null,
    places.length ? make("ul", {}, places) : null,
    words(finding.help) ? make("p", {class: "words"}, "help: " + words(finding.help)) : null);
}
page.checks_words = (finding) => finding.check + (words(finding.kind) ? " " + words(finding.kind) : "");

// ---- The line -----------------------------------------------------------------------------------

function gainWords(line) {
  if (!line.gain) return null;
  const launch = page.launches[line.gain_launch];
  const what = "Without its excess a launch of " + words(launch.kernel);
  return line.worth
    ? what + " would be about " + times(line.gain) + " times as fast (an estimate for " + launch.worth.machine + ")."
    : what + " would not be faster to speak of (an estimate for " + launch.worth.machine + "): it waits for other things.";
}

function showLine(line) {
  const found = line.findings.length;
  detailTitle.textContent = line.name + ": " + (found ? plural(found, "finding", "findings") + ", " : "") + line.verdict[0];
  detailBody.replaceChildren(...[
    line.code ? make("pre", {tabindex: "0", "aria-label": "Source"}, make("code", {}, line.code)) : null,
    gainWords(line) ? make("p", {}, gainWords(line)) : null,
    ...(line.findings.length ? [make("h3", {}, "What checkers found here"),
      make("ul", {}, firstOf(line.findings).map((finding) => findingItem(finding, line))),
      restOf(line.findings, "findings")] : []),
    ...accessPicker(line), kernelTable(line, 0), kernelTable(line, 1)].filter((part) => part !== null));
}
