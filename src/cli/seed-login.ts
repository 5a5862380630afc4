import { randomInt } from 'node:crypto';
import { createJsonRequest, type ServiceConnection, ServiceRefusal } from './service-client.ts';

/**
 * Gives one person of the sample company a password, so that the explorer can be tried as somebody who owns and follows
 * something. Each load makes another one and tells it to whoever loads: a password that everybody knows would be a way
 * into a catalog that was meant for one machine and is reached from others.
 */

const DEMO_PERSON = 'hannah';

/** Easy to copy and to type, and with the kinds of characters that passwords need. */
const createPassword = (): string =>
  ['Books', ...Array.from({ length: 4 }, () => String(randomInt(1000)).padStart(3, '0'))].join('-');

type DemoLogin = { readonly email: string; readonly password: string };

/** Sets the password and answers how to sign in. Nothing for a caller who may set no passwords. */
export const giveDemoLogin = async (connection: ServiceConnection): Promise<DemoLogin | undefined> => {
  const request = createJsonRequest(connection);
  const person = (await request('seed', 'GET', `users/name/${DEMO_PERSON}`)) as { id: string; email: string };
  const password = createPassword();
  try {
    await request('seed', 'PATCH', `users/${person.id}`, { password });
  } catch (failure) {
    if (failure instanceof ServiceRefusal && failure.status === 403) return undefined;
    throw failure;
  }
  return { email: person.email, password };
};
