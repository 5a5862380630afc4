import { ask, askFully, askText } from './ask.ts';
import { ifPresent } from './failure.ts';
import { kindOf } from './kinds.ts';
import type { Reference, Schemas } from './types.ts';

/** Reads, judges and changes the contracts of assets. */

type StoredContract = Schemas['DataContract'];

export type ReadContract = { readonly contract: StoredContract; readonly etag: string | undefined };
export type ContractSubject = { readonly type: string; readonly id: string };

const CONTRACTS = '/v1/dataContracts';
const FIELDS = 'owners,reviewers,extension';

const ifMatch = (etag: string | undefined): Record<string, string> => (etag === undefined ? {} : { 'if-match': etag });

const findContract = async (id: string, include: string, signal?: AbortSignal): Promise<string | undefined> => {
  const query = { entity: id, include, limit: 1 };
  return (await ask<Schemas['DataContractList']>(CONTRACTS, { query, signal })).data[0]?.id;
};

/** The contract of the asset itself, with what it inherits left out; null when it has none. */
export const readOwnContract = async (subject: ContractSubject, signal?: AbortSignal): Promise<ReadContract | null> => {
  const id = await findContract(subject.id, 'non-deleted', signal);
  if (id === undefined) return null;
  const { value, headers } = await askFully<StoredContract>(`${CONTRACTS}/${id}`, {
    query: { fields: FIELDS },
    signal,
  });
  return { contract: value, etag: headers.get('etag') ?? undefined };
};

/** The contract that was deleted and can be restored; null when there is none. */
export const findDeletedContract = async (subject: ContractSubject, signal?: AbortSignal): Promise<string | null> =>
  (await findContract(subject.id, 'deleted', signal)) ?? null;

/** Whether a data product of the asset has a contract, which may then hold for the asset as well. */
const mayInherit = async ({ type, id }: ContractSubject, signal?: AbortSignal): Promise<boolean> => {
  const kind = kindOf(type);
  if (!kind?.fields.includes('dataProducts')) return false;
  const { dataProducts = [] } = await ask<{ readonly dataProducts?: readonly Reference[] }>(`/v1/${kind.path}/${id}`, {
    query: { fields: 'dataProducts' },
    signal,
  });
  const contracts = await Promise.all(dataProducts.map((one) => findContract(one.id ?? '', 'non-deleted', signal)));
  return contracts.some((found) => found !== undefined);
};

/** The contract that holds, what its data products add included; null when nothing is promised. */
export const fetchEffectiveContract = async (
  subject: ContractSubject,
  hasOwn: boolean,
  signal?: AbortSignal,
): Promise<StoredContract | null> => {
  // Browsers report a refused request as a fault of the page, so it is only asked for where there is likely one.
  if (!hasOwn && !(await mayInherit(subject, signal))) return null;
  const query = { entityId: subject.id, entityType: subject.type, fields: FIELDS };
  return (await ifPresent(ask<StoredContract>(`${CONTRACTS}/entity`, { query, signal }))) ?? null;
};

/** The contract that holds for an asset, of which nothing is known yet. */
export const fetchContractOf = async (subject: ContractSubject, signal?: AbortSignal): Promise<StoredContract | null> =>
  fetchEffectiveContract(subject, (await findContract(subject.id, 'non-deleted', signal)) !== undefined, signal);

type ContractBody = Schemas['CreateDataContract'];

/** Judges a contract without storing anything. */
export const askContractJudgement = (json: ContractBody, signal: AbortSignal) =>
  ask<Schemas['ContractValidation']>(`${CONTRACTS}/validate`, { method: 'POST', json, signal });

export const createContract = (json: ContractBody) => ask<StoredContract>(CONTRACTS, { method: 'POST', json });

export const changeContract = ({ contract, etag }: ReadContract, json: readonly unknown[]) =>
  ask<StoredContract>(`${CONTRACTS}/${contract.id}`, {
    method: 'PATCH',
    mediaType: 'application/json-patch+json',
    headers: ifMatch(etag),
    json,
  });

export const deleteContract = ({ contract, etag }: ReadContract, hardDelete: boolean) =>
  ask<StoredContract>(`${CONTRACTS}/${contract.id}`, {
    method: 'DELETE',
    query: { hardDelete },
    headers: ifMatch(etag),
  });

export const restoreContract = (id: string) =>
  ask<StoredContract>(`${CONTRACTS}/restore`, { method: 'PUT', json: { id } });

/** Judges the asset by its contract now, and stores the result. */
export const runContract = (id: string) =>
  ask<Schemas['DataContractResult']>(`${CONTRACTS}/${id}/validate`, { method: 'POST' });

export const askContractResults = (id: string, limit: number, signal: AbortSignal) =>
  ask<Schemas['DataContractResultList']>(`${CONTRACTS}/${id}/results`, { query: { limit }, signal });

export const ODCS_VERSIONS_OUT = [
  'v3.2.0',
  'v3.1.0',
  'v3.0.2',
  'v3.0.1',
  'v3.0.0',
  'v2.2.2',
  'v2.2.1',
  'v2.2.0',
] as const;

export type OdcsFormat = 'yaml' | 'json';

export const exportOdcs = (id: string, format: OdcsFormat, odcsVersion: string) =>
  askText(`${CONTRACTS}/${id}/odcs${format === 'yaml' ? '/yaml' : ''}`, {
    query: { odcsVersion },
    headers: { accept: format === 'yaml' ? 'application/yaml' : 'application/json' },
  });

const ODCS_BODY = 'application/yaml';

export type OdcsSummary = {
  readonly name?: string;
  readonly version?: string;
  readonly status?: string;
  readonly apiVersion?: string;
  readonly schemaObjects?: readonly string[];
};

export const parseOdcs = (content: string, signal: AbortSignal) =>
  ask<OdcsSummary>(`${CONTRACTS}/odcs/parse/yaml`, { method: 'POST', mediaType: ODCS_BODY, content, signal });

export type OdcsOptions = { readonly objectName: string; readonly createTestCases: boolean };

const odcsQuery = ({ type, id }: ContractSubject, { objectName, createTestCases }: OdcsOptions) => ({
  entityId: id,
  entityType: type,
  objectName,
  createTestCases,
});

export const judgeOdcs = (subject: ContractSubject, content: string, options: OdcsOptions, signal: AbortSignal) =>
  ask<Schemas['ContractValidation']>(`${CONTRACTS}/odcs/validate/yaml`, {
    method: 'POST',
    query: odcsQuery(subject, options),
    mediaType: ODCS_BODY,
    content,
    signal,
  });

export type OdcsMode = 'merge' | 'replace';

/** Creates or changes the contract of the asset by a document. */
export const importOdcs = (
  subject: ContractSubject,
  content: string,
  options: OdcsOptions & { readonly mode: OdcsMode; readonly etag: string | undefined },
) =>
  ask<StoredContract>(`${CONTRACTS}/odcs/yaml`, {
    method: 'PUT',
    query: { ...odcsQuery(subject, options), mode: options.mode },
    mediaType: ODCS_BODY,
    headers: ifMatch(options.etag),
    content,
  });

type Permissions = { readonly permissions: readonly { readonly operation: string; readonly access: string }[] };

/** Whether the visitor may do something with contracts, or with one of them. */
export const readContractRights = async (id: string | undefined, signal: AbortSignal) => {
  const path = id === undefined ? '/v1/permissions/dataContract' : `/v1/permissions/dataContract/${id}`;
  const { permissions } = await ask<Permissions>(path, { signal });
  const allows = (operation: string): boolean =>
    permissions.some((one) => one.operation === operation && one.access.toLowerCase().startsWith('allow'));
  return { mayCreate: allows('Create'), mayEdit: allows('EditAll'), mayDelete: allows('Delete') };
};

/** Whether the caller may change the contract of an asset, or write its first. */
export const mayWriteContract = async (subject: ContractSubject, signal: AbortSignal): Promise<boolean> => {
  const id = await findContract(subject.id, 'non-deleted', signal);
  const { mayCreate, mayEdit } = await readContractRights(id, signal);
  return id === undefined ? mayCreate : mayEdit;
};
