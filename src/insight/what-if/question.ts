import { badRequest } from '../../errors.ts';
import type { Call } from '../../http/route.ts';
import { isArray, type Json, type JsonObject } from '../../model/json.ts';
import type { Change } from './apply-changes.ts';

/** What a request asks about the state after its changes. */

export type WhatIfPart = 'impact' | 'diff' | 'contracts' | 'propagation';

export type WhatIfQuestion = JsonObject & {
  readonly changes: readonly Change[];
  readonly ask: readonly WhatIfPart[];
};

/** The parameters of the operations that answer, which a request gives as members of its body. */
const PARAMETERS: Readonly<Record<WhatIfPart, readonly string[]>> = {
  impact: ['id', 'type', 'fqn', 'column', 'change', 'maxDepth', 'types', 'groupBy', 'fields', 'compact'],
  diff: [
    'id',
    'type',
    'fqn',
    'upstreamDepth',
    'downstreamDepth',
    'types',
    'services',
    'domains',
    'tags',
    'groupBy',
    'fields',
    'edgeFields',
    'compact',
  ],
  contracts: [],
  propagation: ['tag', 'scope', 'maxDepth', 'state', 'limit', 'after'],
};

/** Throws bad_request for a parameter of an operation that is not asked. */
export const refuseIdleParameters = (question: WhatIfQuestion): void => {
  const known = new Set(question.ask.flatMap((part) => PARAMETERS[part]));
  const idle = Object.keys(question).find((name) => !['changes', 'ask'].includes(name) && !known.has(name));
  if (idle === undefined) return;
  const owners = Object.entries(PARAMETERS).flatMap(([part, names]) => (names.includes(idle) ? [part] : []));
  throw badRequest(`[${idle} is a parameter of ${owners.join(' and ')}, which ask does not name]`);
};

const textsOf = (value: Json | undefined): readonly string[] =>
  value === undefined ? [] : isArray(value) ? value.map(String) : [String(value)];

/** Returns the call of the operation that answers one part. */
export const callOf = (call: Call, question: WhatIfQuestion, part: WhatIfPart): Call => {
  const query = new URLSearchParams();
  for (const name of PARAMETERS[part]) for (const text of textsOf(question[name])) query.append(name, text);
  // Lists are parts of one answer here, so none of them is written as CSV.
  const header: Call['header'] = (name) => (name.toLowerCase() === 'accept' ? undefined : call.header(name));
  return { ...call, method: 'GET', query, header };
};
