import { badRequest } from '../../../errors.ts';
import type { JsonObject } from '../../json.ts';

/** Requires that a constraint names only columns of the table (entities.md, Value types), in any letter case. */
export const checkTableConstraints = (candidate: JsonObject): void => {
  const constraints = (candidate['tableConstraints'] ?? []) as readonly { readonly columns?: readonly string[] }[];
  if (constraints.length === 0) return;
  const columns = (candidate['columns'] ?? []) as readonly { readonly name: string }[];
  const names = new Set(columns.map((column) => column.name.toLowerCase()));
  for (const name of constraints.flatMap((constraint) => constraint.columns ?? [])) {
    if (!names.has(name.toLowerCase())) throw badRequest(`[tableConstraints.columns names the unknown column ${name}]`);
  }
};
