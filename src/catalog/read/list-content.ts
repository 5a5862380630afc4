import type { Principal } from '../../access/principal.ts';
import type { Call } from '../../http/route.ts';
import { createWorkYielder } from '../../http/work-yielder.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Engine } from '../engine.ts';
import type { ListedRow } from '../list-queries.ts';
import type { ListPlan, ListRequest } from './list.ts';
import { redactValues } from './redaction.ts';
import { renderRecord, type View } from './render.ts';
import { renderRecordText } from './rendered-records.ts';
import { redactRecords } from './sensitive-values.ts';
import type { Snapshot } from './snapshot.ts';

/** Renders the records of a list. */

export type ListContext = {
  readonly engine: Engine;
  readonly request: ListRequest;
  readonly plan: ListPlan;
  readonly fields: ReadonlySet<string>;
  readonly view: View;
  readonly principal: Principal;
  /** Whether the rendered records may be kept and shared with other callers. */
  readonly isShared: boolean;
  /** Whether to keep what is rendered. A list of a whole kind would displace what is read more often. */
  readonly keepsRendered: boolean;
  /** Counts the characters of the records that are read; of a stream, only those of the first piece. */
  readonly countWork?: Call['countWork'];
};

/** The JSON of one record, encoded. */
export type RecordText = Uint8Array;

export const COMMA: RecordText = Buffer.from(',');

/** Puts commas between texts. */
export const separateTexts = (texts: readonly RecordText[]): RecordText[] =>
  texts.flatMap((text, at) => (at === 0 ? [text] : [COMMA, text]));

const readRows = async (
  { engine, request, fields, principal, countWork }: ListContext,
  rows: readonly ListedRow[],
): Promise<readonly Snapshot[]> => {
  const ids = rows.map(({ id }) => id);
  const records = await engine.store.records(request.kind, ids, fields);
  countWork?.(records.reduce((sum, { weight }) => sum + weight, 0));
  return redactRecords(engine, principal, records);
};

/** Renders the records of rows as values, which are redacted when they are sent. */
export const renderRows = async (reading: ListContext, rows: readonly ListedRow[]): Promise<readonly JsonObject[]> =>
  (await readRows(reading, rows)).map((record) => renderRecord(record, reading.view));

/** Renders the records of rows for all callers who see every record. Only records that are not known yet are read. */
export const renderSharedRows = async (
  reading: ListContext,
  rows: readonly ListedRow[],
): Promise<readonly RecordText[]> => {
  const { engine, request, view, keepsRendered } = reading;
  const form = { kind: request.kind, view };
  const texts = new Map<string, RecordText>();
  for (const known of await engine.rendered.findMany(form, rows)) if (known) texts.set(known.id, known.json);
  const unknown = rows.filter(({ id }) => !texts.has(id));
  const breathe = createWorkYielder();
  for (const record of unknown.length > 0 ? await readRows(reading, unknown) : []) {
    const text = keepsRendered ? engine.rendered.render(form, record).json : renderRecordText(record, view);
    texts.set(record.id, text);
    // The record is rendered and written in one go.
    const turn = breathe(record.weight + text.length);
    if (turn) await turn;
  }
  return rows.flatMap(({ id }) => texts.get(id) ?? []);
};

/** Renders the records of rows for one caller. */
const renderOwnRows = async (reading: ListContext, rows: readonly ListedRow[]): Promise<readonly RecordText[]> => {
  const rendered: JsonObject[] = [];
  const breathe = createWorkYielder();
  for (const record of await readRows(reading, rows)) {
    const turn = breathe(record.weight);
    if (turn) await turn;
    rendered.push(renderRecord(record, reading.view));
  }
  const texts: RecordText[] = [];
  for (const record of await redactValues(reading.engine, reading.principal, rendered)) {
    const text = Buffer.from(JSON.stringify(record));
    const turn = breathe(text.length);
    if (turn) await turn;
    texts.push(text);
  }
  return texts;
};

/** Renders the records of rows as texts. */
export const renderRowTexts = (reading: ListContext, rows: readonly ListedRow[]): Promise<readonly RecordText[]> =>
  reading.isShared ? renderSharedRows(reading, rows) : renderOwnRows(reading, rows);
