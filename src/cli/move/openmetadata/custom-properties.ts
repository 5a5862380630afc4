import { attempt } from '../../attempt.ts';
import { objectOf, readList, textOf } from '../../catalog-client.ts';
import { type ImportRoom, propertyKey, showProgress } from './import-room.ts';
import { readCollection } from './read-collection.ts';
import { addTo } from './tally.ts';

/** Defines the custom properties of the other catalog, whose values the records bring. */

const TYPES = 'metadata/types';

export const defineCustomProperties = async (room: ImportRoom): Promise<void> => {
  const { move, known, tally, target, absent, choices } = room;
  const options = { pageSize: move.pageSize, fields: ['customProperties'], query: { category: 'entity' } };
  let done = 0;
  for await (const { records, total } of readCollection(move.source, known, TYPES, options)) {
    for (const record of records) {
      const type = textOf(record['name']);
      done += 1;
      showProgress(room, 'types', done, total);
      const properties = readList(record['customProperties']);
      if (properties.length === 0) continue;
      const own = await target.find(`${TYPES}/name/${encodeURIComponent(type)}`);
      for (const { name, description, displayName, propertyType, customPropertyConfig } of properties) {
        const what = `the custom property ${textOf(name)} of ${type}`;
        const kind = await target.find(`${TYPES}/name/${encodeURIComponent(textOf(objectOf(propertyType)['name']))}`);
        if (own === undefined || kind === undefined) {
          addTo(tally.leftOut, what);
          absent.add(propertyKey(type, textOf(name)));
          continue;
        }
        const config = objectOf(objectOf(customPropertyConfig)['config']);
        if (kind['name'] === 'enum' && config['multiSelect'] !== true) choices.add(propertyKey(type, textOf(name)));
        const body = {
          name,
          description: textOf(description),
          ...(textOf(displayName) === '' ? {} : { displayName }),
          propertyType: { id: kind['id'], type: 'type' },
          ...(customPropertyConfig === undefined || customPropertyConfig === null ? {} : { customPropertyConfig }),
        };
        if (move.isDryRun) addTo(tally.written, 'custom property');
        else if (await attempt(tally, what, () => target.send('PUT', `${TYPES}/${textOf(own['id'])}`, body))) {
          addTo(tally.written, 'custom property');
        }
      }
    }
  }
};
