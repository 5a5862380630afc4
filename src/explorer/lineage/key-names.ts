/** The keys of the graph and what they do, for those who read of them. `graph-keys.tsx` acts on them. */

export const GRAPH_KEYS: readonly { readonly keys: string; readonly what: string }[] = [
  { keys: '← →', what: 'to what feeds a box, and to what it feeds' },
  { keys: '↑ ↓', what: 'to the box above or below' },
  { keys: 'Enter', what: 'details of the box, or of the edge' },
  { keys: 'E', what: 'from a box to its edges: ↑ ↓ to the next, ← → to their ends' },
  { keys: 'C', what: 'show or hide its columns' },
  { keys: 'U, D', what: 'show more upstream, more downstream' },
  { keys: 'F, R', what: 'show everything, back to the start' },
  { keys: 'Esc', what: 'from an edge back to the box; close the panel' },
];
