// The panels, in the page's order.
import score_spread from "./score_spread.js";
import head_training from "./head_training.js";
import where from "./where.js";

export default [score_spread, head_training, where];
