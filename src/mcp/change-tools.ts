import * as v from 'valibot';
import { badRequest } from '../errors.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { findAsset, namesOf, refsOf, rowsOf, shortRef } from './assets.ts';
import { readEvents } from './events.ts';
import {
  assetName,
  assetType,
  choiceArgument,
  defineTool,
  maxTokens,
  nameArgument,
  type Tool,
  textArgument,
} from './tool.ts';

/** Tools about changes: what one would break, and which have happened. */

const describeContract = (contract: JsonObject): JsonObject => ({
  fqn: contract['fqn'] ?? '',
  ...(contract['status'] === undefined ? {} : { status: contract['status'] }),
  broken: contract['broken'] ?? [],
});

const describeAffected = (row: JsonObject): JsonObject => {
  const owners = namesOf(row['owners']);
  const tests = namesOf(row['tests']);
  const contracts = rowsOf(row['contracts']).map(describeContract);
  return {
    certainty: row['certainty'] ?? '',
    depth: row['depth'] ?? 0,
    ...(shortRef(row['entity']) as JsonObject),
    ...(rowsOf(row['columns']).length > 0 ? { columns: row['columns'] ?? [] } : {}),
    ...(row['tier'] === undefined ? {} : { tier: row['tier'] }),
    ...(owners.length > 0 ? { owners } : {}),
    ...(contracts.length > 0 ? { contracts } : {}),
    ...(tests.length > 0 ? { tests } : {}),
  };
};

const TRUNCATED_HEADER = 'x-lineage-truncated';

const impact = defineTool({
  name: 'impact',
  title: 'Get the impact of a change',
  description:
    'Tells what a change of an asset or of one column may break downstream, the worst first, with owners, contracts and tests.',
  schema: v.strictObject({
    fqn: assetName,
    type: assetType,
    column: v.optional(nameArgument('Name of the changed column; the whole asset by default')),
    change: v.optional(choiceArgument('Type of the change', ['drop', 'rename', 'retype']), 'drop'),
    maxTokens,
  }),
  run: async (context, { column, change, ...input }) => {
    const asset = await findAsset(context, input.fqn, input.type);
    const { type: entityType, fqn: name } = asset;
    const query = { type: entityType, fqn: name, change, column };
    const { text, headers } = await context.api.read({ path: 'lineage/impact', query });
    const answer = JSON.parse(text) as JsonObject;
    const root = answer['root'] as JsonObject;
    return {
      facts: {
        type: entityType,
        fqn: name,
        change,
        ...(column === undefined ? {} : { column }),
        summary: answer['summary'] ?? {},
        contracts: rowsOf(root['contracts']).map(describeContract),
        truncated: headers.has(TRUNCATED_HEADER),
      },
      lists: [
        {
          name: 'affected',
          rows: rowsOf(answer['affected']).map(describeAffected),
          more: 'raise maxTokens, or ask for one column',
        },
      ],
    };
  },
});

const MAX_PROPOSAL = 60_000;

const parseColumns = (text: string): Json => {
  try {
    const value = JSON.parse(text) as Json;
    const columns = isObject(value) ? value['columns'] : value;
    if (Array.isArray(columns)) return columns;
  } catch (cause) {
    throw badRequest('[proposal is no valid JSON]', cause);
  }
  throw badRequest('[proposal must be a list of columns, or an object with such a list in columns]');
};

/** Recognises the form of a proposal: JSON begins with a bracket, and a contract document names its version. */
const readProposal = (text: string): JsonObject => {
  if (/^\s*[[{]/.test(text)) return { columns: parseColumns(text) };
  return /^apiVersion\s*:/m.test(text) ? { odcs: text } : { ddl: text };
};

const checkChange = defineTool({
  name: 'check_change',
  title: 'Check a proposed change',
  description:
    'Tells which contracts a proposed change of columns would break, of the asset itself and downstream. Changes nothing.',
  schema: v.strictObject({
    fqn: assetName,
    type: assetType,
    proposal: textArgument(
      'DDL such as ALTER TABLE, or all columns as JSON, or an ODCS document in YAML',
      MAX_PROPOSAL,
    ),
    dialect: v.optional(nameArgument('SQL dialect of DDL; that of the service by default')),
    maxTokens,
  }),
  run: async (context, { proposal, dialect, ...input }) => {
    const asset = await findAsset(context, input.fqn, input.type);
    const answer = await context.api.readJson({
      method: 'POST',
      path: 'dataContracts/check',
      body: {
        entity: { id: asset.id, type: asset.type },
        proposed: { ...readProposal(proposal), ...(dialect === undefined ? {} : { dialect }) },
      },
    });
    const affected = (answer['affected'] ?? {}) as JsonObject;
    const more = 'raise maxTokens, or check a smaller change';
    const breaks = rowsOf(answer['breaks']).map(
      (row): JsonObject => ({
        ...row,
        contract: shortRef(row['contract']),
        entity: shortRef(row['entity']),
      }),
    );
    return {
      facts: {
        type: asset.type,
        fqn: asset.fqn,
        verdict: answer['verdict'] ?? '',
        affected: affected['entities'] ?? 0,
      },
      lists: [
        { name: 'breaks', rows: breaks, more },
        { name: 'changes', rows: [...rowsOf(answer['changes'])], more },
        { name: 'owners', rows: refsOf(affected['owners']), more },
        { name: 'tests', rows: refsOf(affected['tests']), more },
      ],
    };
  },
});

const time = (what: string) => nameArgument(`${what}: a date such as 2026-03-01, a time in ISO 8601, or milliseconds`);

const parseTime = (name: string, text: string): number => {
  const at = /^\d{9,}$/.test(text) ? Number(text) : Date.parse(text);
  if (!Number.isFinite(at) || at < 0) throw badRequest(`[${name} must be a date, an ISO 8601 time or milliseconds]`);
  return at;
};

const changes = defineTool({
  name: 'changes',
  title: 'List changes of a scope',
  description:
    'Lists what was created, changed and deleted in an asset and in everything below it between two times, oldest first.',
  schema: v.strictObject({
    scope: nameArgument('Fully qualified name of the asset, for example of a service, database or schema'),
    from: time('Begin'),
    to: v.optional(time('End; now by default')),
    maxTokens,
  }),
  run: async (context, input) => {
    const from = parseTime('from', input.from);
    const to = input.to === undefined ? context.now : parseTime('to', input.to);
    if (to < from) throw badRequest('[to must not be before from]');
    const isInScope = (name: string) => name === input.scope || name.startsWith(`${input.scope}.`);
    const { rows, read, stoppedAt } = await readEvents(context.api, { from, to, isWanted: isInScope });
    return {
      facts: {
        scope: input.scope,
        found: rows.length,
        eventsRead: read,
        ...(stoppedAt === undefined
          ? {}
          : { incomplete: `only events before ${stoppedAt} were read; ask again with from="${stoppedAt}"` }),
        limits: 'Only events that the service still keeps (EVENT_RETENTION_DAYS) and that you may see are found.',
      },
      lists: [{ name: 'changes', rows, more: 'raise maxTokens, or ask for a shorter time or a smaller scope' }],
    };
  },
});

export const CHANGE_TOOLS: readonly Tool[] = [impact, checkChange, changes];
