// Work longer than a frame. In the worker: serve(panels). In the page:
// startWorker(source, module).
import { instantiate, run } from "./module.js";

// A job is a generator of a panel: every part that it yields goes to the page,
// and between two parts the worker hears whether it is still wanted. A part's
// pause, in milliseconds, is how long it stays before the next is made.
export function serve(panels) {
  const cancelled = new Set();
  let module, lab, last = Promise.resolve();

  const turn = () => new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { port1.close(); resolve(); };
    port2.postMessage(null);
  });

  async function perform({ id, panel, job, args }) {
    if (cancelled.has(id)) return;
    lab ??= await instantiate(await module);
    const steps = panels.find((each) => each.id === panel).jobs[job](lab, args);
    for (;;) {
      const { value, done } = steps.next();
      postMessage({ id, value, done });
      if (done) return;
      await (value?.pause ? new Promise((resolve) => setTimeout(resolve, value.pause)) : turn());
      if (cancelled.has(id)) return;
    }
  }

  async function program({ id, words, files }) {
    const value = await run(await module, words, { files, isWatched: true,
      onOutput(fd, text) {
        const [, percent] = text.match(/\]\s+(\d+) %/) ?? [];
        if (fd === 2 && percent) postMessage({ id, value: Number(percent) / 100 });
      } });
    // What a progress bar leaves on a terminal: nothing.
    value.stderr = value.stderr.replace(/\r[^\r\n]*\x1b\[K/g, "");
    postMessage({ id, value, done: true });
  }

  onmessage = ({ data }) => {
    if (data.module) module = data.module;
    else if (data.bytes) module = WebAssembly.compile(data.bytes);
    else if (data.cancel) cancelled.add(data.cancel);
    else
      last = last.then(() => data.words ? program(data) : perform(data))
        .catch((error) => postMessage({ id: data.id, error: String(error) }));
  };
}

export function startWorker(source, bytes) {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const waiting = new Map();
  let worker, count = 0;

  const begin = () => {
    worker = new Worker(url);
    worker.postMessage({ bytes });
    worker.onmessage = ({ data: { id, value, done, error } }) => {
      const asked = waiting.get(id);
      if (!asked) return;
      if (done || error) waiting.delete(id);
      if (error) asked.reject(new Error(error));
      else if (done) asked.resolve(value);
      else asked.onPart?.(value);
    };
  };
  const ask = (message, onPart) => {
    if (!worker) begin();
    const id = ++count;
    const result = new Promise((resolve, reject) => waiting.set(id, { resolve, reject, onPart }));
    worker.postMessage({ id, ...message });
    return { id, result };
  };

  return {
    // Its promise is never settled once it is cancelled.
    job(panel, job, args, onPart) {
      const { id, result } = ask({ panel, job, args }, onPart);
      return { result, cancel() {
        if (waiting.delete(id)) worker.postMessage({ cancel: id });
      } };
    },
    // A program cannot be asked to stop, so its worker goes, and what waits for it.
    program(words, files, onPart) {
      const { id, result } = ask({ words, files }, onPart);
      return { result, cancel() {
        if (!waiting.delete(id)) return;
        worker.terminate();
        worker = null;
        for (const each of waiting.values()) each.reject(new Error("stopped with the other program"));
        waiting.clear();
      } };
    },
  };
}
