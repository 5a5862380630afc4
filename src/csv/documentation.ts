import type { Engine } from '../catalog/engine.ts';
import { queryFlag } from '../catalog/read/answer.ts';
import { kindNamed } from '../catalog/registry.ts';
import { notFound } from '../errors.ts';
import type { Answer, Call, QueryParameter, Route } from '../http/route.ts';
import { Flag, listOf, must, shape, Text } from '../model/values.ts';
import { documentationOf, layoutAsked, OFFERED_TYPES } from './layout.ts';

/** What a file may be, told to those who write one (csv.md 1). */

const CsvDocumentation = shape('CsvDocumentation', {
  summary: must(Text),
  headers: must(
    listOf(
      shape('CsvHeader', {
        name: must(Text),
        required: must(Flag),
        description: must(Text),
        examples: must(listOf(Text)),
      }),
    ),
  ),
});

/** Whether everything below is meant. */
export const RECURSIVE: QueryParameter = {
  name: 'recursive',
  description: 'Everything below, or only what hangs directly below; of no meaning for tables',
  schema: { type: 'boolean' },
};

/** What was said of `recursive`, if anything. */
export const recursiveAsked = (call: Pick<Call, 'query'>): boolean | undefined =>
  call.query.get(RECURSIVE.name) ? queryFlag(call, RECURSIVE.name) : undefined;

const answer = (entityType: string, call: Call): Answer => {
  const { layout } = layoutAsked(entityType, recursiveAsked(call));
  return { status: 200, json: documentationOf(layout) };
};

const documented = (path: string, entityTypeOf: (call: Call) => string): Route => ({
  method: 'GET',
  path,
  summary: 'Explain the columns of a CSV file',
  tag: 'CSV',
  access: 'authenticated',
  query: [RECURSIVE],
  responses: { 200: CsvDocumentation },
  handle: async (call) => answer(entityTypeOf(call), call),
});

const namedType = ({ params }: Call): string => {
  const { entityType = '' } = params;
  if (!OFFERED_TYPES.includes(entityType)) throw notFound(`There are no CSV files of ${entityType}`);
  return entityType;
};

/** The operations that explain the columns of files. */
export const documentationRoutes = ({ registry }: Pick<Engine, 'registry'>): Route[] => [
  documented('/v1/csv/documentation/{entityType}', namedType),
  ...OFFERED_TYPES.map((entityType) =>
    documented(`/v1/${kindNamed(registry, entityType).path}/documentation/csv`, () => entityType),
  ),
];
