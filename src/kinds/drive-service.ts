import { BASE_BLOCK, defineKind, withoutMembers } from '../model/kind/kind.ts';
import type { ConnectionSteps } from '../model/schemas/services/connection-steps.ts';
import { declareServiceKind } from '../model/schemas/services/service.ts';

const DRIVE_SERVICE_TYPES = ['GoogleDrive', 'SharePoint', 'Sftp', 'CustomDrive'] as const;

const USUAL_STEPS = ['CheckAccess'] as const;

/** What the connectors of these types know. */
const STEPS_OF_TYPE = {
  GoogleDrive: [...USUAL_STEPS, 'GetDriveFiles', 'GetSpreadsheets'],
  Sftp: [...USUAL_STEPS, 'ListDirectories'],
} as const satisfies ConnectionSteps;

export const driveService = defineKind({
  ...declareServiceKind({
    entityType: 'driveService',
    label: 'DriveService',
    path: 'services/driveServices',
    title: 'Drive services',
    index: 'drive_service_search_index',
    types: DRIVE_SERVICE_TYPES,
    steps: { usual: USUAL_STEPS, ofType: STEPS_OF_TYPE },
  }),
  // Clients refuse this member of drive services, unlike that of other services.
  base: withoutMembers(BASE_BLOCK, 'entityStatus', 'sourceUrl'),
});
