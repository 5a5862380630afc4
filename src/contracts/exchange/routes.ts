import type { Engine, Writer } from '../../catalog/engine.ts';
import {
  idAddress,
  nameAddress,
  precondition,
  queryFlag,
  viewFor,
  writeAnswer,
  YAML_TYPES,
} from '../../catalog/read/answer.ts';
import { permit } from '../../catalog/read/facts.ts';
import { writeFields } from '../../catalog/read/fields.ts';
import type { Snapshot } from '../../catalog/read/snapshot.ts';
import { type Address, keyOf } from '../../catalog/read/store.ts';
import { kindNamed } from '../../catalog/registry.ts';
import * as schema from '../../catalog/routes/schemas.ts';
import { badRequest, recordNotFound } from '../../errors.ts';
import type { Answer, Call, QueryParameter, Route } from '../../http/route.ts';
import { ContractValidation } from '../../model/contract-values.ts';
import { odcsStatus } from '../../model/contract-words.ts';
import type { JsonObject } from '../../model/json.ts';
import { isUuid } from '../../model/uuid.ts';
import { AnyJson, FreeForm, Text } from '../../model/values.ts';
import { trialOf } from '../dry-run.ts';
import type { Documents } from '../odcs/documents.ts';
import { SECTIONS, type Section } from '../odcs/export.ts';
import { issues } from '../odcs/issue.ts';
import { LARGEST_TEXT } from '../odcs/limits.ts';
import type { MergeMode } from '../odcs/merge.ts';
import type { Notation } from '../odcs/problem.ts';
import type { OdcsDocument } from '../odcs/read.ts';
import { objectNames } from '../odcs/select.ts';
import { readStatus } from '../odcs/status.ts';
import { ODCS_VERSIONS, type OdcsVersion, versionNamed } from '../odcs/version.ts';
import { subjectIn, wholeView } from '../reading.ts';
import { CONTRACT } from '../steward.ts';
import { findSubject } from '../subject.ts';
import { exportRecord } from './exporting.ts';
import { bodyFaults, createFromDocument, putFromDocument, readFor, type Wish } from './importing.ts';
import { TARGET_FIELDS } from './target.ts';

/** Contracts in and out as documents of the open standard (odcs.md). */

const NEWEST: OdcsVersion = 'v3.1.0';

const sectionsIn = (call: Call): ReadonlySet<Section> => {
  const text = call.query.get('fields');
  const names = (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0 || (names.length === 1 && names[0] === '*')) return new Set(SECTIONS);
  const known: readonly string[] = SECTIONS;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw badRequest(`Invalid field name ${unknown}`);
  return new Set(names as readonly Section[]);
};

const versionIn = (call: Call): OdcsVersion => {
  const text = call.query.get('odcsVersion');
  if (!text) return NEWEST;
  const version = versionNamed(text);
  if (!version) throw badRequest(`[odcsVersion must be one of ${ODCS_VERSIONS.join(', ')}]`);
  return version;
};

const modeIn = (call: Call): MergeMode => {
  const mode = call.query.get('mode')?.toLowerCase() || 'merge';
  if (mode !== 'merge' && mode !== 'replace') throw badRequest('[mode must be one of merge, replace]');
  return mode;
};

const addressIn = (engine: Engine, call: Call): Address =>
  'fqn' in call.params ? nameAddress(kindNamed(engine.registry, CONTRACT), call.params['fqn'] ?? '') : idAddress(call);

const findContract = async (engine: Engine, call: Call): Promise<Snapshot> => {
  const kind = kindNamed(engine.registry, CONTRACT);
  const address = addressIn(engine, call);
  const isNamed = 'fqn' in address || isUuid(address.id);
  const record = isNamed ? await engine.store.record(kind, address, writeFields(kind)) : undefined;
  if (!record || record.deleted) throw recordNotFound(CONTRACT, keyOf(address));
  await permit(engine, call.principal, ['ViewBasic'], record);
  return record;
};

/** What a version has no place for is told beside the document; a header holds so much. */
const MOST_TOLD = 4000;

const droppedHeader = (dropped: readonly string[]): Readonly<Record<string, string>> => {
  if (dropped.length === 0) return {};
  const text = dropped.map((path) => encodeURI(path)).join(', ');
  return { 'X-ODCS-Dropped': text.length > MOST_TOLD ? `${text.slice(0, MOST_TOLD)}...` : text };
};

const read =
  (engine: Engine, documents: Documents, isYaml: boolean) =>
  async (call: Call): Promise<Answer> => {
    const [sections, version] = [sectionsIn(call), versionIn(call)];
    const record = await findContract(engine, call);
    const view = viewFor(engine, call, writeFields(record.kind));
    const { document, dropped } = await exportRecord(engine, record, view, {
      principal: call.principal,
      sections,
      version,
    });
    const headers = droppedHeader(dropped);
    if (!isYaml) return { status: 200, headers, json: document };
    return {
      status: 200,
      headers,
      text: { mediaType: 'application/yaml; charset=utf-8', content: await documents.written(document) },
    };
  };

/** Reads the document of a request. */
type DocumentIn = (call: Call) => Promise<OdcsDocument>;

const documentIn =
  (documents: Documents, notation: Notation): DocumentIn =>
  async (call) =>
    documents.odcs(await call.body.text(), notation);

const wishIn = async (engine: Engine, documentOf: DocumentIn, call: Call): Promise<Wish> => {
  const pointer = subjectIn(call);
  const createTestCases = queryFlag(call, 'createTestCases');
  const objectName = call.query.get('objectName');
  const document = await documentOf(call);
  const subject = await findSubject(engine, pointer, TARGET_FIELDS);
  return { document, subject, options: { createTestCases, ...(objectName ? { objectName } : {}) } };
};

const writerOf = (engine: Engine, call: Call): Writer => ({
  kind: kindNamed(engine.registry, CONTRACT),
  principal: call.principal,
});

const create =
  (engine: Engine, documentOf: DocumentIn) =>
  async (call: Call): Promise<Answer> => {
    const wish = await wishIn(engine, documentOf, call);
    return writeAnswer(engine, call, await createFromDocument(engine, writerOf(engine, call), wish));
  };

const put =
  (engine: Engine, documentOf: DocumentIn) =>
  async (call: Call): Promise<Answer> => {
    const mode = modeIn(call);
    const wish = await wishIn(engine, documentOf, call);
    return writeAnswer(
      engine,
      call,
      await putFromDocument(engine, writerOf(engine, call), wish, {
        mode,
        viewFor: wholeView(engine, call),
        precondition: precondition(kindNamed(engine.registry, CONTRACT), call),
      }),
    );
  };

const parse =
  (documentOf: DocumentIn) =>
  async (call: Call): Promise<Answer> => {
    const { version, document, issues: warnings } = await documentOf(call);
    const { name, version: own, id, kind } = document;
    const schemaObjects = objectNames(document);
    return {
      status: 200,
      json: {
        ...(name === undefined ? {} : { name }),
        version: own,
        status: odcsStatus(readStatus(document, issues())),
        schemaObjects,
        hasMultipleObjects: schemaObjects.length > 1,
        apiVersion: version,
        id,
        kind,
        warnings,
      },
    };
  };

const validate =
  (engine: Engine, documentOf: DocumentIn) =>
  async (call: Call): Promise<Answer> => {
    const wish = await wishIn(engine, documentOf, call);
    await permit(engine, call.principal, ['ViewBasic'], wish.subject);
    const { imported, issues: found } = await readFor(engine, call, wish);
    const columns = (imported.contract['schema'] ?? []) as readonly JsonObject[];
    const bodyErrors = bodyFaults(writerOf(engine, call), wish, imported);
    return {
      status: 200,
      json: {
        ...trialOf(wish.subject, columns, false),
        ...(bodyErrors.length > 0 ? { valid: false, entityErrors: bodyErrors } : {}),
        odcsImportReport: { odcsVersion: wish.document.version, ...imported.report, issues: found },
      },
    };
  };

const DOCUMENT_TYPES = [...YAML_TYPES, 'text/plain', 'application/json'];
const JSON_TYPES = ['application/json'] as const;

const text = (name: string, description: string): QueryParameter => ({ name, description, schema: { type: 'string' } });

const about: readonly QueryParameter[] = [
  { name: 'entityId', description: 'The id of the record', schema: { type: 'string', format: 'uuid' } },
  text('entityType', 'The type of the record'),
  text('objectName', 'The object of the schema that describes the record, where there are several'),
  {
    name: 'createTestCases',
    description: 'Also makes tests of the rules of the document',
    schema: { type: 'boolean', default: false },
  },
];

const exporting: readonly QueryParameter[] = [
  text('fields', 'The sections that are wanted; all when nothing is said'),
  { name: 'odcsVersion', description: 'The version of the standard', schema: { type: 'string', enum: ODCS_VERSIONS } },
];

const mode: QueryParameter = {
  name: 'mode',
  description: 'What becomes of what the document does not say',
  schema: { type: 'string', enum: ['merge', 'replace'], default: 'merge' },
};

/** The same operation for documents in JSON and in YAML. */
type Suffix = '' | '/yaml';

const bothWays = <T>(make: (suffix: Suffix) => T): readonly T[] => [make(''), make('/yaml')];

export const exchangeRoutes = (engine: Engine, documents: Documents): Route[] => {
  const kind = kindNamed(engine.registry, CONTRACT);
  const path = `/v1/${kind.path}`;
  const tag = kind.title;
  const documentOf = (suffix: Suffix) => documentIn(documents, suffix === '' ? 'JSON' : 'YAML');
  const body = (isYaml: boolean) => ({
    schema: FreeForm,
    mediaTypes: isYaml ? DOCUMENT_TYPES : JSON_TYPES,
    maxBytes: LARGEST_TEXT,
  });
  const reading = { method: 'GET', tag, access: { operation: 'ViewBasic', resource: CONTRACT } } as const;
  const exports = ['{id}', 'name/{fqn}'].flatMap((address) =>
    bothWays(
      (suffix): Route => ({
        ...reading,
        path: `${path}/${address}/odcs${suffix}`,
        summary: 'Read a contract as a document of the open standard',
        query: exporting,
        responses: { 200: suffix === '' ? AnyJson : Text },
        isHeavy: true,
        ...(suffix === '' ? {} : { answers: 'application/yaml' }),
        handle: read(engine, documents, suffix !== ''),
      }),
    ),
  );
  const posts = bothWays(
    (suffix): Route => ({
      method: 'POST',
      tag,
      access: { operation: 'Create', resource: CONTRACT },
      path: `${path}/odcs${suffix}`,
      summary: 'Create a contract from a document of the open standard',
      query: about,
      body: body(suffix !== ''),
      responses: { 201: schema.record(kind) },
      isHeavy: true,
      handle: create(engine, documentOf(suffix)),
    }),
  );
  const puts = bothWays(
    (suffix): Route => ({
      method: 'PUT',
      tag,
      access: {
        operation: 'EditAll',
        resource: CONTRACT,
        also: 'A contract that is not there yet needs Create instead.',
      },
      path: `${path}/odcs${suffix}`,
      summary: 'Create or update a contract from a document of the open standard',
      query: [...about, mode],
      body: body(suffix !== ''),
      responses: { 200: schema.record(kind), 201: schema.record(kind) },
      isHeavy: true,
      handle: put(engine, documentOf(suffix)),
    }),
  );
  return [
    ...exports,
    ...posts,
    ...puts,
    {
      method: 'POST',
      tag,
      access: 'authenticated',
      path: `${path}/odcs/parse/yaml`,
      summary: 'Say what a document of the open standard holds',
      body: body(true),
      responses: { 200: AnyJson },
      isHeavy: true,
      handle: parse(documentOf('/yaml')),
    },
    {
      method: 'POST',
      tag,
      access: { operation: 'ViewBasic', resource: CONTRACT, also: 'It is asked of the record, not of its contract.' },
      path: `${path}/odcs/validate/yaml`,
      summary: 'Say what speaks against importing a document of the open standard',
      query: about,
      body: body(true),
      responses: { 200: ContractValidation },
      isHeavy: true,
      handle: validate(engine, documentOf('/yaml')),
    },
  ];
};
