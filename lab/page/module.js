// The module: what it asks of a system (WASI and a few calls of musl), files in
// memory, and its functions with texts and arrays in and out. The page, its
// workers and the tests under Node all use this one.

const ENOENT = 44, EEXIST = 20, EBADF = 8;
const O_CREAT = 0o100, O_EXCL = 0o200, O_TRUNC = 0o1000;
const CHARACTER_DEVICE = 2, REGULAR_FILE = 4;

export const compile = (bytes) => WebAssembly.compile(bytes);

// A fresh instance. files: what its programs can read, by path. onOutput(fd,
// text) hears standard output (1) and standard error (2); the latter is a
// terminal, with a progress bar, where isWatched.
export async function instantiate(module, { files = {}, onOutput = () => {}, isWatched = false } = {}) {
  const store = new Map(Object.entries(files).map(([path, text]) => [path, encode(text)]));
  const opened = new Map(); // descriptor: {path, at}
  const decoders = { 1: new TextDecoder(), 2: new TextDecoder() };
  let lab;

  const view = () => new DataView(lab.memory.buffer);
  const write = (fd, bytes) => {
    const file = opened.get(fd);
    if (file) store.set(file.path, join(store.get(file.path), bytes));
    else onOutput(fd, decoders[fd].decode(bytes, { stream: true }));
  };
  const pieces = (list, count) => Array.from({ length: count }, (_, k) =>
    lab.bytes(view().getUint32(list + 8 * k, true), view().getUint32(list + 8 * k + 4, true)));

  const wasi_snapshot_preview1 = {
    clock_time_get(clock, precision, out) {
      const now = clock === 0 ? Date.now() : performance.now();
      view().setBigUint64(out, BigInt(Math.round(now * 1e6)), true);
      return 0;
    },
    proc_exit(status) { throw new Error(`the module stopped with status ${status}`); },
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return 0;
    },
    environ_get: () => 0,
    fd_fdstat_get(fd, out) {
      lab.bytes(out, 24).fill(0);
      view().setUint8(out, fd === 2 && isWatched ? CHARACTER_DEVICE : REGULAR_FILE);
      return 0;
    },
    fd_write(fd, list, count, out) {
      if (fd > 2 && !opened.has(fd)) return EBADF;
      const all = pieces(list, count);
      for (const bytes of all) write(fd, bytes.slice());
      view().setUint32(out, all.reduce((sum, bytes) => sum + bytes.length, 0), true);
      return 0;
    },
    fd_read(fd, list, count, out) {
      const file = opened.get(fd);
      if (!file) return EBADF;
      const from = file.at;
      for (const room of pieces(list, count)) {
        const part = store.get(file.path).subarray(file.at, file.at + room.length);
        room.set(part);
        file.at += part.length;
      }
      view().setUint32(out, file.at - from, true);
      return 0;
    },
    fd_seek(fd, offset, whence, out) {
      const file = opened.get(fd);
      if (!file) return EBADF;
      file.at = Number(offset) + [0, file.at, store.get(file.path).length][whence];
      view().setBigUint64(out, BigInt(file.at), true);
      return 0;
    },
    fd_close: (fd) => opened.delete(fd) ? 0 : EBADF,
    fd_sync: () => 0,
  };
  const env = {
    emscripten_notify_memory_growth() {},
    __call_sighandler() {},
    __syscall_mkdir: () => 0,
    __syscall_faccessat: () => 0,
    __syscall_stat64: () => -ENOENT,
    __syscall_rename(from, to) {
      const [old, path] = [lab.text(from), lab.text(to)];
      if (!store.has(old)) return -ENOENT;
      store.set(path, store.get(old));
      store.delete(old);
      return 0;
    },
    __syscall_unlink: (path) => store.delete(lab.text(path)) ? 0 : -ENOENT,
    __syscall_openat(folder, name, flags) {
      const path = lab.text(name), isThere = store.has(path);
      if (!isThere && !(flags & O_CREAT)) return -ENOENT;
      if (isThere && (flags & O_EXCL)) return -EEXIST;
      if (!isThere || (flags & O_TRUNC)) store.set(path, new Uint8Array());
      let fd = 3;
      while (opened.has(fd)) fd++;
      opened.set(fd, { path, at: 0 });
      return fd;
    },
  };

  const { exports } = await WebAssembly.instantiate(module, { env, wasi_snapshot_preview1 });
  lab = {
    ...exports, // memory, malloc, free, and what lab/c exports
    bytes: (at, length) => new Uint8Array(exports.memory.buffer, at, length),
    doubles: (at, length) => new Float64Array(exports.memory.buffer, at, length),
    words: (at, length) => new Uint32Array(exports.memory.buffer, at, length),
    // A C string.
    text(at) {
      const rest = new Uint8Array(exports.memory.buffer, at);
      return new TextDecoder().decode(rest.slice(0, rest.indexOf(0)));
    },
    // Room for n doubles, or for these; to be given to free.
    put(values) {
      const n = values.length ?? values;
      const at = exports.malloc(8 * n);
      if (values.length !== undefined) lab.doubles(at, n).set(values);
      return at;
    },
    putText(text) {
      const bytes = encode(text + "\0");
      const at = exports.malloc(bytes.length);
      lab.bytes(at, bytes.length).set(bytes);
      return at;
    },
    files: store,
  };
  exports._initialize();
  return lab;
}

// A program as a terminal has it: words is ["bin/score_spread", "--seed", "7"].
// Each run gets an instance of its own. The files are those that it wrote.
export async function run(module, words, { files = {}, onOutput = () => {}, isWatched = false } = {}) {
  const output = { 1: "", 2: "" };
  const lab = await instantiate(module, { files, isWatched,
    onOutput(fd, text) { output[fd] += text; onOutput(fd, text); } });
  const argv = lab.malloc(4 * (words.length + 1));
  lab.words(argv, words.length + 1).set([...words.map(lab.putText), 0]);
  const status = lab.lab_run(words.length, argv);
  for (const path of Object.keys(files)) lab.files.delete(path);
  return { status, stdout: output[1], stderr: output[2],
    files: Object.fromEntries([...lab.files].map(([path, bytes]) => [path, new TextDecoder().decode(bytes)])) };
}

function encode(text) { return new TextEncoder().encode(text); }

function join(a, b) {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
