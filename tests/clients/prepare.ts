import { ENVIRONMENTS } from './environments.ts';

/** Installs what tests need from registries, one after another, while something else occupies the rest of the machine. */
for (const [name, provide] of Object.entries(ENVIRONMENTS)) {
  const provided = await provide();
  if ('missing' in provided) console.log(`${name} is not there: ${provided.missing}`);
}
