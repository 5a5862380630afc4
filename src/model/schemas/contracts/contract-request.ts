import { badRequest } from '../../../errors.ts';
import { isObject, type Json, type JsonObject } from '../../json.ts';
import { DEFAULT_TIMEZONE, parseContractStatus } from './contract-status.ts';

/** What the words of requests for data contracts mean, where these may be said in more than one way. */

const isText = (value: Json | undefined): value is string => typeof value === 'string';

/** `status` is another name of `entityStatus`; both together must mean the same. */
const mergeStatus = (body: JsonObject): JsonObject => {
  const { status, ...others } = body;
  if (status === undefined) return body;
  const other = others['entityStatus'];
  if (isText(status) && isText(other) && parseContractStatus(status) !== parseContractStatus(other)) {
    throw badRequest('[status must mean the same as entityStatus]');
  }
  return { ...others, entityStatus: other ?? status } as JsonObject;
};

/** An SLA that is said without a time zone is told in the one that clients take for granted. */
const defaultTimezone = (body: JsonObject): JsonObject => {
  const { sla } = body;
  return isObject(sla) && sla['timezone'] === undefined
    ? { ...body, sla: { ...sla, timezone: DEFAULT_TIMEZONE } }
    : body;
};

/** A create body in the words of the record. */
export const normaliseContractBody = (body: JsonObject): JsonObject => defaultTimezone(mergeStatus(body));

/** Of a patched document only who gave it a `status` meant one: it is shown to nobody who did not ask for it. */
const applyPatchedStatus = (document: JsonObject): JsonObject => {
  const { status, ...others } = document;
  if (status === undefined) return document;
  if (!isText(status) || parseContractStatus(status) === undefined) throw badRequest('[status must be a known status]');
  return { ...others, entityStatus: status } as JsonObject;
};

/** An SLA that was kept without a time zone, as documents of the open standard may say it, gets none by a patch. */
const defaultPatchedTimezone = (document: JsonObject, { sla }: JsonObject): JsonObject =>
  isObject(sla) && sla['timezone'] === undefined ? document : defaultTimezone(document);

/** A document that a patch has changed, in the words of the record. What a contract is about stays as it was. */
export const normaliseContractDocument = (document: JsonObject, former: JsonObject): JsonObject => {
  const { entity = null } = former;
  return { ...defaultPatchedTimezone(applyPatchedStatus(document), former), entity };
};

/** States are found whatever the case of their letters. */
export const normaliseContractFilters = (query: URLSearchParams): URLSearchParams => {
  const status = query.get('status');
  if (!status) return query;
  const read = new URLSearchParams(query);
  read.set('status', status.toLowerCase());
  return read;
};
