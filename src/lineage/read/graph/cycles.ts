type Arc = readonly [from: string, to: string];

type CycleVisit = { readonly id: string; readonly targets: readonly string[]; at: number };

/**
 * Finds strongly connected components with Tarjan's algorithm and leaves out those of a single node. It keeps its own
 * stack, because a chain of edges may be longer than the call stack allows.
 */
export const findCycles = (arcs: readonly Arc[]): readonly (readonly string[])[] => {
  const leaving = new Map<string, string[]>();
  for (const [from, to] of arcs) {
    const targets = leaving.get(from);
    if (targets) targets.push(to);
    else leaving.set(from, [to]);
  }
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const groups: string[][] = [];

  const enter = (id: string): CycleVisit => {
    order.set(id, order.size);
    lowest.set(id, order.size - 1);
    open.push(id);
    isOpen.add(id);
    return { id, targets: leaving.get(id) ?? [], at: 0 };
  };

  const lower = (id: string, value: number | undefined): void => {
    lowest.set(id, Math.min(lowest.get(id) ?? 0, value ?? 0));
  };

  const close = (id: string): void => {
    if (lowest.get(id) !== order.get(id)) return;
    const group = open.splice(open.lastIndexOf(id));
    for (const member of group) isOpen.delete(member);
    if (group.length > 1) groups.push(group);
  };

  for (const start of leaving.keys()) {
    if (order.has(start)) continue;
    const way = [enter(start)];
    for (let visit = way.at(-1); visit; visit = way.at(-1)) {
      const to = visit.targets[visit.at];
      visit.at += 1;
      if (to === undefined) {
        close(visit.id);
        way.pop();
        const above = way.at(-1);
        if (above) lower(above.id, lowest.get(visit.id));
      } else if (!order.has(to)) way.push(enter(to));
      else if (isOpen.has(to)) lower(visit.id, order.get(to));
    }
  }
  return groups;
};
