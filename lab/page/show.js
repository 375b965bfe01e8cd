// The page: one panel at a time, its state in the URL.
import { instantiate } from "./module.js";
import { fromFragment, toFragment } from "./state.js";
import { startWorker } from "./worker.js";
import { element, servicesOf } from "./services.js";

const decode = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));

export async function show(panels) {
  const source = document.getElementById("script").textContent;
  const bytes = decode(document.getElementById("module").textContent.trim());
  const ledger = JSON.parse(document.getElementById("ledger").textContent);
  const lab = await instantiate(await WebAssembly.compile(bytes));
  const shared = { lab, ledger, jobs: startWorker(source, bytes), programs: startWorker(source, bytes) };
  const mounted = new Map();
  const list = document.querySelector("nav ul");

  for (const panel of panels)
    list.append(element("li", {}, element("a", { href: `#${panel.id}` }, panel.title)));

  function open() {
    const { panel, state } = fromFragment(location.hash, panels) ??
      { panel: panels[0], state: { ...panels[0].defaults } };
    for (const [id, other] of mounted) {
      other.section.hidden = id !== panel.id;
      if (id !== panel.id) other.leave();
    }
    if (!mounted.has(panel.id)) mounted.set(panel.id, mount(panel, state, shared));
    else if (location.hash.includes("?")) mounted.get(panel.id).set(state);
    else mounted.get(panel.id).refresh();
    mounted.get(panel.id).section.hidden = false;
    document.title = `${panel.title} · The lab`;
    for (const link of list.querySelectorAll("a"))
      if (link.hash === `#${panel.id}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
  }
  addEventListener("hashchange", open);
  open();
  document.body.dataset.ready = "";
}

// A panel in its section. Changes of its state are shown once a frame, and
// reach the URL when they have come to rest.
function mount(panel, first, shared) {
  const state = { ...panel.defaults, ...first };
  const section = element("section", { className: "panel", id: `panel-${panel.id}`,
    ariaLabelledby: `title-${panel.id}` });
  document.getElementById("main").append(section);
  const listeners = [];
  let frame = 0, rest = 0, view;

  function refresh() {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      for (const listener of listeners) listener(state);
      view?.update(state);
    });
  }
  function set(changes) {
    Object.assign(state, panel.repair?.({ ...state, ...changes }) ?? changes);
    refresh();
    clearTimeout(rest);
    rest = setTimeout(() => {
      if (!section.hidden)
        history.replaceState(null, "", toFragment(panel.id, state, panel.defaults));
    }, 300);
  }
  const services = servicesOf({ panel, state, section, set, refresh, shared,
    onState: (listener) => listeners.push(listener) });
  view = panel.mount(section, state, services);
  refresh();
  return { section, set, refresh, leave() { services.cancel(); view?.leave?.(); } };
}
