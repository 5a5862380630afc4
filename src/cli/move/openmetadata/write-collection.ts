import type { JsonObject } from '../../../model/json.ts';
import { trySplitFqn } from '../../../model/name.ts';
import { type CatalogAnswer, objectOf, textOf } from '../../catalog-client.ts';
import type { ImportStep } from './collections.ts';
import { dropMasked, fitRequest } from './fit-request.ts';
import { existsInTarget, type ImportRoom, isSystem, propertyKey, quietly, showProgress } from './import-room.ts';
import { readCollection } from './read-collection.ts';
import { addTo } from './tally.ts';

/** Writes the records of a collection of OpenMetadata to the same collection here. */

/** Rows that are tried again hold memory; further ones are refused at once. */
const MAX_LATER = 5000;

/** Where a step goes on. */
export type StepPosition = { readonly depth: number; readonly deepest: number; readonly after: string | undefined };

const depthOf = ({ fullyQualifiedName, name }: CatalogAnswer): number =>
  trySplitFqn(textOf(fullyQualifiedName) || textOf(name))?.length ?? 1;

const isService = ({ type }: ImportStep): boolean => type.endsWith('Service');

/**
 * What a service is reached by. Secrets are shown as stars, so that they do not come, and a service that is here already
 * keeps its connection: the secrets may have been entered here since.
 */
const withConnection = (room: ImportRoom, row: JsonObject, exists: boolean, type: string): JsonObject => {
  const { connection, ...rest } = row;
  if (exists || connection === undefined) return rest;
  const dropped = () => addTo(room.tally.leftOut, `${type}.connection: a masked secret`);
  return { ...rest, connection: dropMasked(connection, dropped) as JsonObject };
};

/** Brings values of custom properties as they are defined here, without those that could not be defined. */
const withExtension = ({ absent, choices, tally }: ImportRoom, row: JsonObject, type: string): JsonObject => {
  const { extension, ...rest } = row;
  if (extension === undefined) return row;
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(objectOf(extension))) {
    const key = propertyKey(type, name);
    if (absent.has(key)) addTo(tally.leftOut, `${type}.extension.${name}`);
    else kept[name] = choices.has(key) && Array.isArray(value) && value.length === 1 ? value[0] : value;
  }
  return { ...rest, extension: kept as JsonObject };
};

/** The request for a record, or undefined when it stays as it is here. */
const rowOf = async (room: ImportRoom, step: ImportStep, record: CatalogAnswer): Promise<JsonObject | undefined> => {
  const { type, path, missingWithout } = step;
  const fqn = textOf(record['fullyQualifiedName']) || textOf(record['name']);
  const mayStay = missingWithout !== undefined || isSystem(record);
  const exists = (mayStay || isService(step)) && (await existsInTarget(room, path, fqn));
  if (exists && mayStay) return undefined;
  const given = Object.entries(record).filter(([member]) => !missingWithout?.includes(member));
  const fitted = fitRequest(room.fit, Object.fromEntries(given), room.target.createSchema(path), type);
  const row = withExtension(room, fitted, type);
  return isService(step) ? withConnection(room, row, exists, type) : row;
};

const writeRecords = async (room: ImportRoom, step: ImportStep, records: readonly CatalogAnswer[]): Promise<void> => {
  const isFirst = step.missingWithout !== undefined;
  const own = isFirst ? quietly(room) : room;
  const path = `${step.path}/bulk`;
  const rows: JsonObject[] = [];
  for (const record of records) {
    const row = await rowOf(own, step, record);
    if (row) rows.push(row);
  }
  const { passed, refused } = await room.target.sendRows(step.type, path, rows);
  if (isFirst) return;
  addTo(room.tally.written, step.type, passed);
  for (const one of refused) {
    if (room.later.length < MAX_LATER) room.later.push({ type: step.type, path, refused: one });
    else room.tally.refusals.push({ name: one.name, message: one.message });
  }
};

/**
 * Writes a collection from a position on. Records that lie in others of their type are written level by level, and each
 * level reads the collection anew, so that a large one is never held in memory.
 */
export const writeCollection = async (
  room: ImportRoom,
  step: ImportStep,
  start: StepPosition,
  onPage: (position: StepPosition) => Promise<void>,
): Promise<void> => {
  const { move, known } = room;
  let { after, deepest } = start;
  for (let depth = Math.max(start.depth, step.nestedFrom ?? 1); ; depth += 1) {
    let done = 0;
    const options = { pageSize: move.pageSize, fields: step.fields, after };
    for await (const page of readCollection(move.source, known, step.path, options)) {
      const records = page.records.filter(({ deleted }) => deleted !== true);
      for (const record of records) deepest = Math.max(deepest, depthOf(record));
      await writeRecords(room, step, step.nestedFrom ? records.filter((one) => depthOf(one) === depth) : records);
      done += page.records.length;
      showProgress(room, step.type, done, page.total);
      if (page.after !== undefined) await onPage({ depth, deepest, after: page.after });
    }
    after = undefined;
    if (!step.nestedFrom || depth >= deepest) return;
    await onPage({ depth: depth + 1, deepest, after });
  }
};

/** Tries once more what was refused while something that it refers to was missing. */
export const writeLater = async ({ later, target, tally }: ImportRoom): Promise<void> => {
  for (const { type, path, refused: before } of later.splice(0)) {
    const { passed, refused } = await target.sendRows(type, path, [before.row]);
    addTo(tally.written, type, passed);
    tally.refusals.push(...refused.map(({ name, message }) => ({ name, message })));
  }
};
