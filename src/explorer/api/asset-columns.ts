import { listAt, membersAt } from './members.ts';
import type { Schemas } from './types.ts';

/** The columns of a record, wherever its kind has them. */

export type Column = Schemas['Column'];

export const columnsOf = (asset: unknown): readonly Column[] => {
  const places = [
    listAt(asset, 'columns'),
    listAt(membersAt(asset, 'messageSchema'), 'schemaFields'),
    listAt(membersAt(asset, 'dataModel'), 'columns'),
  ];
  return (places.find((columns) => columns.length > 0) ?? []) as readonly Column[];
};
