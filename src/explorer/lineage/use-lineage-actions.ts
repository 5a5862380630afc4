import { useEffect, useRef, useState } from 'react';
import { type LineageChoice, toggleColumn } from './choice.ts';
import type { ColumnViews } from './flow.ts';
import type { Direction } from './graph-model.ts';
import { goOn, writeStep } from './graph-query.ts';
import { unfoldGroup } from './groups.ts';
import type { LineageActions } from './lineage-actions.ts';

const toggle = (list: readonly string[], item: string): readonly string[] =>
  list.includes(item) ? list.filter((other) => other !== item) : [...list, item];

/** A list beside the graph: of the members of a group, perhaps only those that lead further, or of the edges of a bundle. */
export type Listed =
  | { readonly what: 'group'; readonly id: string; readonly further?: Direction | undefined }
  | { readonly what: 'bundle'; readonly id: string };

/** What boxes do, as one object that never changes, although what it changes does. */
export const useLineageControl = (choice: LineageChoice, change: (part: Partial<LineageChoice>) => void) => {
  const [views, setViews] = useState<ColumnViews>(new Map());
  const [listed, setListed] = useState<Listed>();
  const latest = useRef({ choice, change });
  useEffect(() => {
    latest.current = { choice, change };
  });
  const [actions] = useState((): LineageActions => {
    const act = (part: (former: LineageChoice) => Partial<LineageChoice>): void =>
      latest.current.change(part(latest.current.choice));
    return {
      onToggle: (id) => act(({ open }) => ({ open: toggle(open, id) })),
      onColumn: (fqn, id) => act((former) => toggleColumn(former, fqn, id)),
      onColumnView: (id, view) => setViews((former) => new Map(former).set(id, view)),
      onMore: (direction, id, count) => act((former) => goOn(former, direction, id, count)),
      onUnfold: (path) => act(({ unfold }) => ({ unfold: unfoldGroup(unfold, path) })),
      onShow: (id) => act(({ alone }) => ({ alone: [...alone, id] })),
      onMembers: (path, further) => setListed({ what: 'group', id: path, further }),
      onFurther: (direction, ids) =>
        act(({ more, alone }) => ({
          more: [...new Set([...more, ...ids.map((id) => writeStep(direction, id))])],
          alone: [...new Set([...alone, ...ids])],
        })),
    };
  });
  return { actions, views, listed, setListed };
};
