import type { Config } from '../config.ts';

/** The address at which browsers sign in at the provider; undefined when there is none. */
export const signInUrlOf = ({ signIn }: Pick<Config['auth'], 'signIn'>): string | undefined =>
  signIn && `${signIn.publicUrl}/v1/users/signin`;
