import * as v from 'valibot';
import { CHANGE_SOURCES } from '../../change-description.ts';
import { AnyJson, Flag, FreeForm, listOf, must, Num, oneOf, shape, Text, Timestamp, Uuid } from '../../values.ts';

/** The schema of change events. */

/** The types of events in the contract (events.md 1). This program creates only the first nine. */
export const EVENT_TYPES = [
  'entityCreated',
  'entityUpdated',
  'entitySoftDeleted',
  'entityDeleted',
  'entityRestored',
  'entityLineageAdded',
  'entityLineageUpdated',
  'entityLineageDeleted',
  'entityFieldsChanged',
  'entityNoChange',
  'logicalTestCaseAdded',
  'userLogin',
  'userLogout',
  'threadCreated',
  'threadUpdated',
  'postCreated',
  'postUpdated',
  'taskCreated',
  'taskUpdated',
  'taskResolved',
  'taskClosed',
  'suggestionCreated',
  'suggestionUpdated',
  'suggestionAccepted',
  'suggestionRejected',
  'suggestionDeleted',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

const FieldChangeSchema = shape('FieldChange', { name: must(Text), oldValue: AnyJson, newValue: AnyJson });

const ChangeOriginSchema = shape('ChangeOrigin', {
  changeSource: must(oneOf(CHANGE_SOURCES)),
  changedBy: must(Text),
  changedAt: must(Timestamp),
});

export const ChangeDescriptionSchema = shape('ChangeDescription', {
  previousVersion: must(Num),
  fieldsAdded: must(listOf(FieldChangeSchema)),
  fieldsUpdated: must(listOf(FieldChangeSchema)),
  fieldsDeleted: must(listOf(FieldChangeSchema)),
  changeSummary: v.record(v.string(), ChangeOriginSchema),
});

/** A change event about one record, as it is returned and delivered. */
export const ChangeEventSchema = shape('ChangeEvent', {
  id: must(Uuid),
  eventType: must(Text),
  entityType: must(Text),
  entityId: must(Uuid),
  entityFullyQualifiedName: Text,
  domains: listOf(Uuid),
  previousVersion: Num,
  currentVersion: Num,
  userName: Text,
  impersonatedBy: Text,
  timestamp: must(Timestamp),
  changeDescription: ChangeDescriptionSchema,
  incrementalChangeDescription: ChangeDescriptionSchema,
  recursive: Flag,
  entity: FreeForm,
});
