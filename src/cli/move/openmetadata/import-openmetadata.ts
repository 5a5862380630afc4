import type { JsonObject } from '../../../model/json.ts';
import { type CatalogAnswer, objectOf, readList, textOf } from '../../catalog-client.ts';
import { countWords } from '../../event-sender.ts';
import { stripControls } from '../../output.ts';
import { printList } from '../../print-list.ts';
import type { Move, OtherCatalog } from '../move-command.ts';
import { ASSET_STEPS, GOVERNANCE_STEPS, type ImportStep, NOT_IMPORTED, TEST_STEPS } from './collections.ts';
import { defineCustomProperties } from './custom-properties.ts';
import { createRoom, type ImportRoom, type LaterRow } from './import-room.ts';
import { writeLineage } from './lineage.ts';
import { type People, writeMissingPeople, writeWholePeople } from './people.ts';
import { writeQuality } from './quality.ts';
import { countCollection } from './read-collection.ts';
import { addTo, createTally, type MoveTally } from './tally.ts';
import { openTarget } from './target-client.ts';
import { type StepPosition, writeCollection, writeLater } from './write-collection.ts';
import { writeStates } from './write-states.ts';

/**
 * Brings what an instance of OpenMetadata knows. Read `collections.ts` for what comes and in which order,
 * `write-collection.ts` and `fit-request.ts` for how a record becomes a request, `people.ts`, `quality.ts` and `lineage.ts`
 * for what is not merely a collection.
 */

export const OPENMETADATA: OtherCatalog = {
  command: 'import openmetadata',
  product: 'OpenMetadata',
  serverVariable: 'OPENMETADATA_SERVER',
  tokenVariable: 'OPENMETADATA_TOKEN',
  base: '/api/v1',
  stateFile: 'tributary-openmetadata.jsonl',
  pageSize: 100,
};

/** A part of the import, which the journal knows by its number. */
type Part = {
  /** Whether it is done again when an import goes on, because later parts need what it reads. */
  readonly isRepeated?: boolean;
  run(room: ImportRoom, start: StepPosition, onPage: (position: StepPosition) => Promise<void>): Promise<void>;
};

const FROM_THE_BEGINNING: StepPosition = { depth: 1, deepest: 1, after: undefined };

const partOf = (step: ImportStep): Part => ({
  run: (room, start, onPage) => writeCollection(room, step, start, onPage),
});

const listParts = (): readonly Part[] => {
  let people: People = { teams: [], users: [] };
  return [
    { isRepeated: true, run: defineCustomProperties },
    {
      isRepeated: true,
      run: async (room) => {
        people = await writeMissingPeople(room);
      },
    },
    ...GOVERNANCE_STEPS.map(partOf),
    { run: (room) => writeWholePeople(room, people) },
    ...ASSET_STEPS.map(partOf),
    ...TEST_STEPS.map(partOf),
    { run: writeLater },
    { run: writeStates },
    { run: writeQuality },
    {
      // The depth is the number of the type whose assets are asked.
      run: (room, { depth, after }, onPage) =>
        writeLineage(room, { at: depth - 1, after }, (at, next) => onPage({ depth: at + 1, deepest: 1, after: next })),
    },
  ];
};

type JournalState = { readonly part: number; readonly position: StepPosition };

const laterOf = (value: unknown): readonly LaterRow[] =>
  readList(value).map(({ type, path, refused }) => ({
    type: textOf(type),
    path: textOf(path),
    refused: objectOf(refused) as unknown as LaterRow['refused'],
  }));

/** Where the run before stopped. */
const readJournal = ({ move, later }: ImportRoom): JournalState => {
  let state: JournalState = { part: 0, position: FROM_THE_BEGINNING };
  for (const { part, depth, deepest, after, refused } of move.journal.steps) {
    const position = { depth: Number(depth), deepest: Number(deepest), after: textOf(after) || undefined };
    state = { part: Number(part), position };
    later.push(...laterOf(refused));
  }
  return state;
};

const writeAll = async (room: ImportRoom): Promise<void> => {
  const { move, later } = room;
  const start = readJournal(room);
  if (start.part > 0) move.input.output.note('Going on where the last run stopped; the counts are those of this run.');
  let noted = later.length;
  const note = (part: number, { depth, deepest, after }: StepPosition): Promise<void> => {
    const refused = later.slice(noted) as unknown as JsonObject[];
    noted = later.length;
    const more = { ...(after === undefined ? {} : { after }), ...(refused.length > 0 ? { refused } : {}) };
    return move.journal.append({ part, depth, deepest, ...more });
  };
  for (const [at, part] of listParts().entries()) {
    if (at < start.part && !part.isRepeated) continue;
    const position = at === start.part ? start.position : FROM_THE_BEGINNING;
    await part.run(room, position, (next) => note(at, next));
    if (at >= start.part) await note(at + 1, FROM_THE_BEGINNING);
  }
  await move.journal.replace([]);
};

/** Counts what stays in the other catalog: what is deleted there, and what has no place here. */
const countLeftOut = async ({ move, tally }: ImportRoom): Promise<void> => {
  const counted = new Set<string>();
  const people = ['team', 'user'].map((type) => ({ type, path: `${type}s` }));
  for (const { type, path } of [...people, ...GOVERNANCE_STEPS, ...ASSET_STEPS, ...TEST_STEPS]) {
    if (counted.has(type)) continue;
    counted.add(type);
    addTo(tally.leftOut, `${type}: deleted there`, await countCollection(move.source, path, { include: 'deleted' }));
  }
  for (const [path, reason] of Object.entries(NOT_IMPORTED)) {
    addTo(tally.leftOut, `${path}: ${reason}`, await countCollection(move.source, path));
  }
};

const tell = ({ input, isDryRun }: Move, tally: MoveTally, version: string): void => {
  const { output } = input;
  const { written, leftOut, refusals } = tally;
  if (input.has('json')) {
    const counts = (all: ReadonlyMap<string, number>) => Object.fromEntries(all);
    output.json({
      dryRun: isDryRun,
      version,
      written: counts(written),
      leftOut: counts(leftOut),
      refused: refusals.length,
      refusals,
    });
    return;
  }
  const total = [...written.values()].reduce((sum, count) => sum + count, 0);
  const verdict = isDryRun ? 'Nothing was written; would come' : 'Written';
  output.line(`${verdict}: ${countWords(total, 'record')} of OpenMetadata ${stripControls(version)}`);
  const rows = [...written].filter(([, count]) => count > 0);
  if (rows.length > 0)
    output.table(
      ['What', 'Records'],
      rows.map(([type, count]) => [type, count.toLocaleString('en')]),
    );
  const times = [...leftOut].map(([what, count]) => (count > 1 ? `${what} (${count} times)` : what));
  printList(output, output.paint('bold', 'Left out'), times);
  const lines = refusals.map(({ name, message }) => `${name}: ${message}`);
  printList(output, output.paint('bold', output.paint('red', 'Refused')), lines);
};

/** Imports from OpenMetadata. The exit code is 1 when something was refused. */
export const importOpenMetadata = async (move: Move): Promise<number> => {
  const tally = createTally();
  const { version }: CatalogAnswer = await move.source.read('system/version');
  const room = createRoom(move, tally, await openTarget(move));
  await writeAll(room);
  await countLeftOut(room);
  tell(move, tally, textOf(version));
  return tally.refusals.length > 0 ? 1 : 0;
};
