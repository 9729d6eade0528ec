// The bank model of bankrun in JavaScript: loads the WebAssembly module and asks it.
//
//   const explorer = await openExplorer(bytes);        // of bankrun.wasm
//   explorer.ask({expression: "a[2 * tid]", shared: "float a[64]", arch: 90})
//
// Fields are the options of bankrun explain by their names (src/explorer/explorer.h); `let` may be a
// list. An answer is what `bankrun explain --format json` says, or {error}: its message with the caret.

export async function openExplorer(bytes) {
  const module = await WebAssembly.compile(bytes);
  const nothing = () => 8; // EBADF: the module has no files
  // Memory can run out: the module then ends, and the next question gets a new one.
  const wasi = {fd_close: nothing, fd_seek: nothing, fd_write: nothing,
    proc_exit: () => { throw new Error("the question needs too much memory"); }};
  let exports = null;

  async function start() {
    const instance = await WebAssembly.instantiate(module, {wasi_snapshot_preview1: wasi});
    instance.exports._initialize();
    return instance.exports;
  }

  function pack(fields) {
    const parts = [];
    for (const [name, value] of Object.entries(fields))
      for (const one of Array.isArray(value) ? value : [value])
        if (one !== null && one !== undefined) {
          if (String(one).includes("\0")) throw new Error("a zero byte in " + name);
          parts.push(name + "\0" + one + "\0");
        }
    return new TextEncoder().encode(parts.join(""));
  }

  function call(bytes) {
    const room = exports.wasm_room(bytes.length);
    if (!room) throw new Error("the question needs too much memory");
    new Uint8Array(exports.memory.buffer, room, bytes.length).set(bytes);
    const at = exports.wasm_answer(bytes.length);
    const answer = new Uint8Array(exports.memory.buffer, at, exports.wasm_answer_length());
    return JSON.parse(new TextDecoder().decode(answer));
  }

  async function ask(fields) {
    exports = exports || await start();
    try {
      return call(pack(fields));
    } catch (problem) {
      exports = null;
      return {error: "the question was not answered: " + problem.message + "\n"};
    }
  }
  await ask({expression: "0"});
  return {ask};
}
