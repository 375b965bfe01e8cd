// What a panel shows is one flat object of numbers and words; a link has it in
// the URL's fragment: #score_spread?seed=7&d_k=64.

export function toFragment(id, state, defaults) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(state))
    if (value !== defaults[key]) query.set(key, value);
  return `#${id}` + (String(query) && `?${query}`);
}

// Only keys that the panel has, each of its default's type; null: no panel.
export function fromFragment(fragment, panels) {
  const [id, query] = decodeURI(fragment.replace(/^#/, "")).split("?");
  const panel = panels.find((each) => each.id === id);
  if (!panel) return null;
  const state = { ...panel.defaults };
  for (const [key, word] of new URLSearchParams(query ?? "")) {
    if (!(key in state)) continue;
    const value = typeof state[key] === "number" ? Number(word) : word;
    if (value === value) state[key] = value;
  }
  return { panel, state: panel.repair?.(state) ?? state };
}
