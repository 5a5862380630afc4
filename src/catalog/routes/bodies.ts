import * as v from 'valibot';
import { badRequest } from '../../errors.ts';
import type { Call } from '../../http/route.ts';
import { isObject, member } from '../../model/json.ts';
import { Uuid } from '../../model/values.ts';

/** Bodies that hold no more than an id. */

/** The id that a body gives as its member. */
export const idIn = (body: unknown): string => {
  const id = isObject(body) ? member(body, 'id') : undefined;
  const checked = v.safeParse(Uuid, id);
  if (!checked.success) throw badRequest(id === undefined ? '[id must not be null]' : '[id must be a UUID]');
  return checked.output;
};

/** A user id, as a JSON string or as bare text: clients send both. */
export const userIdIn = async (call: Call): Promise<string> => {
  const text = (await call.body.text()).trim();
  const bare = text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
  const checked = v.safeParse(Uuid, bare);
  if (!checked.success) throw badRequest('[body must be the UUID of a user]');
  return checked.output;
};
