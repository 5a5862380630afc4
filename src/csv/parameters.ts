import { badRequest } from '../errors.ts';
import type { Call, QueryParameter } from '../http/route.ts';
import { type Layout, layoutOf } from './layout.ts';

/** What requests for files ask for. */

type Asked = Pick<Call, 'query'>;

/** A flag that says yes or no in any case. Whoever means to change something must have said so beyond doubt. */
const strictFlag = ({ query }: Asked, name: string): boolean | undefined => {
  const text = query.get(name)?.toLowerCase();
  if (text === undefined) return undefined;
  if (text !== 'true' && text !== 'false') throw badRequest(`[${name} must be true or false]`);
  return text === 'true';
};

/** Whether cells are kept from being formulas. */
export const isSafeAsked = (call: Asked): boolean => strictFlag(call, 'safeCsv') ?? false;

/** Whether a file is only judged: it is, unless the request says that it is to be applied. */
export const isDryRunAsked = (call: Asked): boolean => strictFlag(call, 'dryRun') ?? true;

/** How far down a file goes that is asked for. */
export type Reach = { readonly layout: Layout; readonly isWhole: boolean };

/** Of a table there is one layout; of a service about which nothing is said, its databases and schemas (csv.md 3.5). */
export const reachAsked = (call: Asked, entityType: string): Reach => {
  const asked = entityType === 'table' ? undefined : strictFlag(call, 'recursive');
  return {
    layout: layoutOf(entityType, asked ?? entityType === 'databaseService'),
    isWhole: asked === true,
  };
};

const flag = (name: string, description: string, fallback?: boolean): QueryParameter => ({
  name,
  description,
  schema: { type: 'boolean', ...(fallback === undefined ? {} : { default: fallback }) },
});

export const RECURSIVE = flag('recursive', 'Everything below the record; of no account for tables, and on the way in');
export const SAFE = flag(
  'safeCsv',
  'Whether cells that a spreadsheet would take for formulas begin with an apostrophe',
  false,
);
export const DRY_RUN = flag('dryRun', 'Whether the file is only judged; false applies it', true);
