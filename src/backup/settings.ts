import { type Config, readConfig } from '../config.ts';
import { SECRET_MASK } from '../model/secret-mask.ts';
import { maskSecrets } from '../model/secret-masking.ts';

type SettingsEnvironment = Readonly<Record<string, string | undefined>>;

/** Variables whose names do not say that they hold secrets. */
const SECRET_VARIABLES: ReadonlySet<string> = new Set([
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
]);

/** Variables that apply to one machine only. */
const LOCAL_VARIABLES: ReadonlySet<string> = new Set(['TRIBUTARY_HOME']);

/**
 * Reads the configuration and the variables that an archive stores. For secrets the archive records only that they were
 * set.
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
    return SECRET_VARIABLES.has(name) ? [[name, SECRET_MASK]] : Object.entries(maskSecrets({ [name]: value }));
  });
  return { config, settings: Object.fromEntries(set) };
};
