import { type Config, readConfig } from '../config.ts';
import { maskSecrets } from '../model/secret-masking.ts';

type SettingsEnvironment = Readonly<Record<string, string | undefined>>;

/** What belongs to one machine and means nothing to another. */
const LOCAL_VARIABLES: ReadonlySet<string> = new Set(['TRIBUTARY_HOME']);

/**
 * The configuration, and the variables it was read from as an archive keeps them. Of secrets it is kept that they were set,
 * and not what they are.
 */
export const readBackupSettings = (
  env: SettingsEnvironment,
): { readonly config: Config; readonly settings: Readonly<Record<string, string>> } => {
  const names = new Set<string>();
  const config = readConfig(
    new Proxy(env, {
      get: (target, name) => {
        if (typeof name === 'string') names.add(name);
        return Reflect.get(target, name);
      },
    }),
  );
  const set = [...names].sort().flatMap((name): [string, string][] => {
    const value = env[name];
    if (!value || LOCAL_VARIABLES.has(name)) return [];
    return Object.entries(maskSecrets({ [name]: value }));
  });
  return { config, settings: Object.fromEntries(set) };
};
