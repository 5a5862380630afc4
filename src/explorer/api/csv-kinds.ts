/** The kinds that have a CSV form: their collections, what one row of their file is, and whether the file can have more. */
const CSV_KINDS: ReadonlyMap<string, { readonly path: string; readonly row: string; readonly isDeep: boolean }> =
  new Map(
    Object.entries({
      table: { path: 'tables', row: 'column', isDeep: false },
      databaseSchema: { path: 'databaseSchemas', row: 'table', isDeep: true },
      database: { path: 'databases', row: 'schema', isDeep: true },
      databaseService: { path: 'services/databaseServices', row: 'database', isDeep: true },
    }),
  );

export const csvKindOf = (type: string) => CSV_KINDS.get(type);
