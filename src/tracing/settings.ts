import type { Config } from '../config.ts';

/** The settings of a service that exports traces. */
export type TracingSettings = NonNullable<Config['tracing']>;
