import { createContext, useContext } from 'react';
import type { Direction } from './graph-model.ts';
import type { ColumnView } from './shown-columns.ts';

/** What boxes let people do. It is always the same object, so that boxes are drawn again only when they change. */
export type LineageActions = {
  readonly onToggle: (id: string) => void;
  readonly onColumn: (fqn: string, id: string) => void;
  readonly onColumnView: (id: string, view: ColumnView) => void;
  /** Goes on from a record that has so many further neighbours. */
  readonly onMore: (direction: Direction, id: string, count: number) => void;
  readonly onUnfold: (path: string) => void;
  readonly onShow: (id: string) => void;
  /** Lists the members of a group, or those from which one can go on in a direction. */
  readonly onMembers: (path: string, further?: Direction) => void;
  /** Goes on from members of a group, which then stand alone. */
  readonly onFurther: (direction: Direction, ids: readonly string[]) => void;
};

const Actions = createContext<LineageActions | undefined>(undefined);

export const LineageActionsProvider = Actions.Provider;

export const useLineageActions = (): LineageActions => {
  const actions = useContext(Actions);
  if (!actions) throw new Error('boxes stand in a lineage view');
  return actions;
};
