import type { Call } from '../../http/route.ts';
import type { Kind } from '../../model/kind/kind.ts';
import type { Engine } from '../engine.ts';
import { createView } from './answer.ts';
import { parseFields, parseInclude, parseRelationIncludes } from './fields.ts';
import type { IncludeDeleted, View } from './render.ts';
import { canShareRendered } from './rendered-records.ts';
import type { Snapshot } from './snapshot.ts';

/** How a read or a list shows its records. */
export type ReadView = {
  readonly fields: ReadonlySet<string>;
  readonly include: IncludeDeleted;
  readonly view: View;
  /** Whether the answers may be kept and shared with other callers. */
  readonly isShared: boolean;
};

/** Whether a read leaves the record out because it is deleted, or because it is not. */
export const isLeftOut = ({ kind, deleted }: Pick<Snapshot, 'kind' | 'deleted'>, include: IncludeDeleted): boolean =>
  deleted ? include === 'non-deleted' : include === 'deleted' && kind.softDeletable;

/** Parses the parameters that reads and lists share. */
export const parseReadView = (engine: Engine, kind: Kind, call: Call): ReadView => {
  const fields = parseFields(kind, call.query.get('fields'));
  const include = parseInclude(call.query.get('include'));
  const relationIncludes = call.query.get('includeRelations');
  const relations = parseRelationIncludes(kind, relationIncludes, include);
  const isUsual = include === 'non-deleted' && !relationIncludes;
  return {
    fields,
    include,
    view: createView(engine, call, fields, relations),
    isShared: isUsual && canShareRendered(engine, call.principal, kind, fields),
  };
};
