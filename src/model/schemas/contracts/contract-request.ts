import { badRequest } from '../../../errors.ts';
import { isObject, type Json, type JsonObject } from '../../json.ts';
import { DEFAULT_TIMEZONE, parseContractStatus } from './contract-status.ts';

/** Rewrites requests for data contracts to the record's own members, where the API accepts alternatives. */

const isText = (value: Json | undefined): value is string => typeof value === 'string';

/** Merges `status` into `entityStatus`, which it is an alias of. When both are given, they must mean the same. */
const mergeStatus = (body: JsonObject): JsonObject => {
  const { status, ...others } = body;
  if (status === undefined) return body;
  const other = others['entityStatus'];
  if (isText(status) && isText(other) && parseContractStatus(status) !== parseContractStatus(other)) {
    throw badRequest('[status must mean the same as entityStatus]');
  }
  return { ...others, entityStatus: other ?? status } as JsonObject;
};

/** Gives an SLA without a time zone the default one that clients assume. */
const defaultTimezone = (body: JsonObject): JsonObject => {
  const { sla } = body;
  return isObject(sla) && sla['timezone'] === undefined
    ? { ...body, sla: { ...sla, timezone: DEFAULT_TIMEZONE } }
    : body;
};

/** Rewrites a create body. */
export const normaliseContractBody = (body: JsonObject): JsonObject => defaultTimezone(mergeStatus(body));

/**
 * Applies the `status` of a patched document. It is never in the document by default, so the patch must have set it.
 */
const applyPatchedStatus = (document: JsonObject): JsonObject => {
  const { status, ...others } = document;
  if (status === undefined) return document;
  if (!isText(status) || parseContractStatus(status) === undefined) throw badRequest('[status must be a known status]');
  return { ...others, entityStatus: status } as JsonObject;
};

/**
 * Leaves the time zone unset if it was unset before, as documents of the open standard allow. A patch does not add one.
 */
const defaultPatchedTimezone = (document: JsonObject, { sla }: JsonObject): JsonObject =>
  isObject(sla) && sla['timezone'] === undefined ? document : defaultTimezone(document);

/** Rewrites a patched document. The record that the contract is about cannot change. */
export const normaliseContractDocument = (document: JsonObject, former: JsonObject): JsonObject => {
  const { entity = null } = former;
  return { ...defaultPatchedTimezone(applyPatchedStatus(document), former), entity };
};

/** Makes the status filter independent of letter case. */
export const normaliseContractFilters = (query: URLSearchParams): URLSearchParams => {
  const status = query.get('status');
  if (!status) return query;
  const read = new URLSearchParams(query);
  read.set('status', status.toLowerCase());
  return read;
};
