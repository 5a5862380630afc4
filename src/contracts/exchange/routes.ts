import type { Principal } from '../../access/principal.ts';
import type { Engine, Writer } from '../../catalog/engine.ts';
import {
  buildWriteAnswer,
  createPrecondition,
  createView,
  idAddress,
  nameAddress,
  parseQueryFlag,
  YAML_TYPES,
} from '../../catalog/read/answer.ts';
import { authorizeRecord, VIEW_OPERATIONS } from '../../catalog/read/facts.ts';
import { NO_FIELDS, writeFields } from '../../catalog/read/fields.ts';
import type { Snapshot } from '../../catalog/read/snapshot.ts';
import { type Address, addressKey } from '../../catalog/read/store.ts';
import { requireKind } from '../../catalog/registry.ts';
import { puttingNeeds } from '../../catalog/resolve/permit-creation.ts';
import { RECORD_ADDRESSES } from '../../catalog/routes/parameters.ts';
import * as schema from '../../catalog/routes/schemas.ts';
import { badRequest, recordNotFound } from '../../errors.ts';
import type { Answer, Call, QueryParameter, Route } from '../../http/route.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { ContractValidationSchema } from '../../model/schemas/contracts/contract.ts';
import { odcsStatusOf } from '../../model/schemas/contracts/contract-status.ts';
import { isUuid } from '../../model/uuid.ts';
import { AnyJson, Text, titledFreeForm } from '../../model/values.ts';
import { parseSubjectPointer, serviceView } from '../contract-access.ts';
import { dryRunConstraints } from '../dry-run.ts';
import { CONTRACT, findContractOf } from '../hooks.ts';
import { EXPORT_SECTIONS, type ExportSection } from '../odcs/export.ts';
import { readContractStatus } from '../odcs/fundamentals.ts';
import type { MergeMode } from '../odcs/import.ts';
import { createIssueCollector, type DocumentNotation, MAX_DOCUMENT_BYTES } from '../odcs/issues.ts';
import { schemaObjectNames } from '../odcs/schema/read-schema.ts';
import type { OdcsDocument, OdcsDocuments } from '../odcs/texts/documents.ts';
import { ODCS_VERSIONS, type OdcsVersion, parseOdcsVersion } from '../odcs/versions/version.ts';
import { findSubject } from '../subject.ts';
import { exportStoredContract } from './export.ts';
import {
  type ContractImportRequest,
  createContractFromDocument,
  findBodyFaults,
  parseImport,
  putContractFromDocument,
} from './import.ts';
import { TARGET_FIELDS } from './import-target.ts';
import { findServiceServer } from './visible-server.ts';

/** Routes that import and export contracts as ODCS documents (odcs.md). */

const parseSections = (call: Call): ReadonlySet<ExportSection> => {
  const text = call.query.get('fields');
  const names = (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0 || (names.length === 1 && names[0] === '*')) return new Set(EXPORT_SECTIONS);
  const known: readonly string[] = EXPORT_SECTIONS;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw badRequest(`Invalid field name ${unknown}`);
  return new Set(names as readonly ExportSection[]);
};

/** The requested version; undefined without one. */
const parseVersion = (call: Call): OdcsVersion | undefined => {
  const text = call.query.get('odcsVersion');
  if (!text) return undefined;
  const version = parseOdcsVersion(text);
  if (!version) throw badRequest(`[odcsVersion must be one of ${ODCS_VERSIONS.join(', ')}]`);
  return version;
};

const parseMode = (call: Call): MergeMode => {
  const mode = call.query.get('mode')?.toLowerCase() || 'merge';
  if (mode !== 'merge' && mode !== 'replace') throw badRequest('[mode must be one of merge, replace]');
  return mode;
};

const parseAddress = (engine: Engine, call: Call): Address =>
  'fqn' in call.params
    ? nameAddress(requireKind(engine.registry, CONTRACT), call.params['fqn'] ?? '')
    : idAddress(call);

const findExportedContract = async (engine: Engine, call: Call): Promise<Snapshot> => {
  const kind = requireKind(engine.registry, CONTRACT);
  const address = parseAddress(engine, call);
  const isNamed = 'fqn' in address || isUuid(address.id);
  const record = isNamed ? await engine.store.record(kind, address, writeFields(kind)) : undefined;
  if (!record || record.deleted) throw recordNotFound(CONTRACT, addressKey(address));
  await authorizeRecord(engine, call.principal, ['ViewBasic'], record);
  return record;
};

/** The maximum length of the response header that lists the values the version cannot represent. */
const MAX_DROPPED_HEADER = 4000;

const droppedHeader = (dropped: readonly string[]): Readonly<Record<string, string>> => {
  if (dropped.length === 0) return {};
  const text = dropped.map((path) => encodeURI(path)).join(', ');
  return { 'X-ODCS-Dropped': text.length > MAX_DROPPED_HEADER ? `${text.slice(0, MAX_DROPPED_HEADER)}...` : text };
};

const exportDocument =
  (engine: Engine, documents: OdcsDocuments, isYaml: boolean) =>
  async (call: Call): Promise<Answer> => {
    const [sections, version] = [parseSections(call), parseVersion(call)];
    const record = await findExportedContract(engine, call);
    const view = createView(engine, call, writeFields(record.kind));
    const { document, dropped } = await exportStoredContract(engine, record, view, {
      principal: call.principal,
      sections,
      ...(version ? { version } : {}),
    });
    const headers = droppedHeader(dropped);
    if (!isYaml) return { status: 200, headers, json: document };
    return {
      status: 200,
      headers,
      text: { mediaType: 'application/yaml; charset=utf-8', content: await documents.toYaml(document) },
    };
  };

/** Reads the document in a request body. */
type OdcsBodyReader = (call: Call) => Promise<OdcsDocument>;

const createDocumentReader =
  (documents: OdcsDocuments, notation: DocumentNotation): OdcsBodyReader =>
  async (call) =>
    documents.odcs(await call.body.text(), notation);

/** Throws forbidden unless the caller may do with the asset what the request wants. */
type PermitImport = (engine: Engine, principal: Principal, subject: Snapshot) => Promise<void>;

const permitView: PermitImport = (engine, principal, subject) =>
  authorizeRecord(engine, principal, VIEW_OPERATIONS, subject);

/** A contract that the asset has would be replaced; whether a new one may be made depends on the document. */
const permitReplacement: PermitImport = async (engine, principal, subject) => {
  const known = await findContractOf(engine, subject.id);
  await (known ? authorizeRecord(engine, principal, ['EditAll'], known) : permitView(engine, principal, subject));
};

/** Reads the request of a caller who may make it. The document is parsed last, because a long one is work. */
const readContractImportRequest = async (
  engine: Engine,
  documentOf: OdcsBodyReader,
  call: Call,
  permit: PermitImport,
): Promise<ContractImportRequest> => {
  const pointer = parseSubjectPointer(engine, call);
  const createTestCases = parseQueryFlag(call, 'createTestCases');
  const objectName = call.query.get('objectName');
  const subject = await findSubject(engine, pointer, TARGET_FIELDS);
  await permit(engine, call.principal, subject);
  const document = await documentOf(call);
  const view = createView(engine, call, NO_FIELDS);
  const server =
    document.document['servers'] === undefined
      ? undefined
      : await findServiceServer(engine, call.principal, subject, view);
  return {
    document,
    subject,
    options: { createTestCases, ...(objectName ? { objectName } : {}) },
    ...(server ? { server } : {}),
  };
};

const writerOf = (engine: Engine, call: Call): Writer => ({
  kind: requireKind(engine.registry, CONTRACT),
  principal: call.principal,
});

const create =
  (engine: Engine, documentOf: OdcsBodyReader) =>
  async (call: Call): Promise<Answer> => {
    const request = await readContractImportRequest(engine, documentOf, call, permitView);
    return buildWriteAnswer(engine, call, await createContractFromDocument(engine, writerOf(engine, call), request));
  };

const put =
  (engine: Engine, documentOf: OdcsBodyReader) =>
  async (call: Call): Promise<Answer> => {
    const mode = parseMode(call);
    const request = await readContractImportRequest(engine, documentOf, call, permitReplacement);
    return buildWriteAnswer(
      engine,
      call,
      await putContractFromDocument(engine, writerOf(engine, call), request, {
        mode,
        viewFor: serviceView(engine, call),
        precondition: createPrecondition(requireKind(engine.registry, CONTRACT), call),
      }),
    );
  };

const parseDocument =
  (documentOf: OdcsBodyReader) =>
  async (call: Call): Promise<Answer> => {
    const { version, document, issues: warnings } = await documentOf(call);
    const { name, version: own, id, kind } = document;
    const schemaObjects = schemaObjectNames(document);
    return {
      status: 200,
      json: {
        ...(name === undefined ? {} : { name }),
        version: own,
        status: odcsStatusOf(readContractStatus(document, createIssueCollector())),
        schemaObjects,
        hasMultipleObjects: schemaObjects.length > 1,
        apiVersion: version,
        id,
        kind,
        warnings,
      },
    };
  };

const validateDocument =
  (engine: Engine, documentOf: OdcsBodyReader) =>
  async (call: Call): Promise<Answer> => {
    const request = await readContractImportRequest(engine, documentOf, call, permitView);
    const { imported, issues: found } = await parseImport(engine, call, request);
    const columns = (imported.contract['schema'] ?? []) as readonly JsonObject[];
    const bodyErrors = findBodyFaults(writerOf(engine, call), request, imported);
    return {
      status: 200,
      json: {
        ...dryRunConstraints(request.subject, columns, false),
        ...(bodyErrors.length > 0 ? { valid: false, entityErrors: bodyErrors } : {}),
        odcsImportReport: { odcsVersion: request.document.version, ...imported.report, issues: found },
      },
    };
  };

const DOCUMENT_TYPES = [...YAML_TYPES, 'text/plain', 'application/json'];
const JSON_TYPES = ['application/json'] as const;

const stringParameter = (name: string, description: string): QueryParameter => ({
  name,
  description,
  schema: { type: 'string' },
});

const SUBJECT_PARAMETERS: readonly QueryParameter[] = [
  { name: 'entityId', description: 'ID of the asset', schema: { type: 'string', format: 'uuid' } },
  stringParameter('entityType', 'Entity type of the asset'),
  stringParameter('objectName', 'Name of the schema object that describes the asset, if there are several'),
  {
    name: 'createTestCases',
    description: 'Whether to create test cases from the quality rules of the document',
    schema: { type: 'boolean', default: false },
  },
];

const EXPORT_PARAMETERS: readonly QueryParameter[] = [
  stringParameter('fields', 'Comma-separated sections to return; all by default'),
  {
    name: 'odcsVersion',
    description: 'Version of ODCS. The default is v3.1.0, or v3.2.0 for a contract from a document of v3.2.0.',
    schema: { type: 'string', enum: ODCS_VERSIONS },
  },
];

const MODE_PARAMETER: QueryParameter = {
  name: 'mode',
  description: 'Treatment of members that the document leaves out',
  schema: { type: 'string', enum: ['merge', 'replace'], default: 'merge' },
};

/** The path suffix of an operation: JSON without one, or YAML. */
type Suffix = '' | '/yaml';

const forBothFormats = <T>(make: (suffix: Suffix) => T): readonly T[] => [make(''), make('/yaml')];

/** Has a title, so that generated clients have one type for the document in all media types. */
const DocumentBody = titledFreeForm('OdcsDocument');

const bodyOf = (suffix: Suffix) => ({
  schema: DocumentBody,
  mediaTypes: suffix === '' ? JSON_TYPES : DOCUMENT_TYPES,
  maxBytes: MAX_DOCUMENT_BYTES,
});

/** What the routes of this file have in common. */
type RouteContext = {
  readonly engine: Engine;
  readonly documents: OdcsDocuments;
  readonly kind: Kind;
  readonly path: string;
  readonly documentOf: (suffix: Suffix) => OdcsBodyReader;
};

const formatOf = (suffix: Suffix): string => (suffix === '' ? '' : ' in YAML');

const exportRoutes = ({ engine, documents, kind, path }: RouteContext): readonly Route[] =>
  RECORD_ADDRESSES.flatMap(({ place, how }) =>
    forBothFormats(
      (suffix): Route => ({
        method: 'GET',
        tag: kind.title,
        access: { operation: 'ViewBasic', resource: CONTRACT },
        path: `${path}/${place}/odcs${suffix}`,
        summary: `Export a data contract by ${how} as an ODCS document${formatOf(suffix)}`,
        sends: ['X-ODCS-Dropped'],
        query: EXPORT_PARAMETERS,
        responses: { 200: suffix === '' ? AnyJson : Text },
        isHeavy: true,
        ...(suffix === '' ? {} : { answers: 'application/yaml' }),
        handle: exportDocument(engine, documents, suffix !== ''),
      }),
    ),
  );

const createRoutes = ({ engine, kind, path, documentOf }: RouteContext): readonly Route[] =>
  forBothFormats(
    (suffix): Route => ({
      method: 'POST',
      tag: kind.title,
      access: { operation: 'Create', resource: CONTRACT },
      path: `${path}/odcs${suffix}`,
      summary: `Create a data contract from an ODCS document${formatOf(suffix)}`,
      query: SUBJECT_PARAMETERS,
      body: bodyOf(suffix),
      responses: { 201: schema.recordSchema(kind) },
      isHeavy: true,
      handle: create(engine, documentOf(suffix)),
    }),
  );

const putRoutes = ({ engine, kind, path, documentOf }: RouteContext): readonly Route[] =>
  forBothFormats(
    (suffix): Route => ({
      method: 'PUT',
      tag: kind.title,
      access: {
        operation: 'EditAll',
        resource: CONTRACT,
        also: 'If the contract does not exist yet, Create is needed instead.',
        anyOf: puttingNeeds(kind),
      },
      path: `${path}/odcs${suffix}`,
      summary: `Create or update a data contract from an ODCS document${formatOf(suffix)}`,
      reads: ['If-Match'],
      query: [...SUBJECT_PARAMETERS, MODE_PARAMETER],
      body: bodyOf(suffix),
      responses: { 200: schema.recordSchema(kind), 201: schema.recordSchema(kind) },
      isHeavy: true,
      handle: put(engine, documentOf(suffix)),
    }),
  );

/** Routes that read a document and store nothing. */
const checkRoutes = ({ engine, kind, path, documentOf }: RouteContext): readonly Route[] => [
  {
    method: 'POST',
    tag: kind.title,
    access: 'authenticated',
    path: `${path}/odcs/parse/yaml`,
    summary: 'Parse an ODCS document',
    body: bodyOf('/yaml'),
    responses: { 200: AnyJson },
    isHeavy: true,
    handle: parseDocument(documentOf('/yaml')),
  },
  {
    method: 'POST',
    tag: kind.title,
    access: { operation: 'ViewBasic', resource: CONTRACT, also: 'It is needed on the asset, not on its contract.' },
    path: `${path}/odcs/validate/yaml`,
    summary: 'Validate an ODCS document for import',
    query: SUBJECT_PARAMETERS,
    body: bodyOf('/yaml'),
    responses: { 200: ContractValidationSchema },
    isHeavy: true,
    handle: validateDocument(engine, documentOf('/yaml')),
  },
];

export const exchangeRoutes = (engine: Engine, documents: OdcsDocuments): Route[] => {
  const kind = requireKind(engine.registry, CONTRACT);
  const context: RouteContext = {
    engine,
    documents,
    kind,
    path: `/v1/${kind.path}`,
    documentOf: (suffix) => createDocumentReader(documents, suffix === '' ? 'JSON' : 'YAML'),
  };
  return [...exportRoutes(context), ...createRoutes(context), ...putRoutes(context), ...checkRoutes(context)];
};
