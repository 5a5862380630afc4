import * as v from 'valibot';
import { badRequest } from '../../errors.ts';
import type { Call } from '../../http/route.ts';
import { Uuid } from '../../model/values.ts';

/** A user id, as a JSON string or as bare text: clients send both. */
export const readUserId = async (call: Call): Promise<string> => {
  const text = (await call.body.text()).trim();
  const bare = text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
  const checked = v.safeParse(Uuid, bare);
  if (!checked.success) throw badRequest('[body must be the UUID of a user]');
  return checked.output;
};
