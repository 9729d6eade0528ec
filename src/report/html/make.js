// What the pages of bankrun are made with: the report, and the explorer (docs/explorer).
const count = (value) => value.toLocaleString("en-US");
const plural = (value, one, many) => count(value) + " " + (value === 1 ? one : many);

// Makes an element. Whatever it is given becomes text, never markup.
function make(tag, traits, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(traits || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat())
    if (child !== null && child !== undefined) element.append(child);
  return element;
}

// Numbers of lanes come as runs: [first, distance, how many], or [the only one].
function numbersOf(runs) {
  const numbers = [];
  for (const [first, step, many] of runs)
    for (let i = 0; i < (many || 1); i++) numbers.push(first + i * (step || 0));
  return numbers;
}
