import { BASE_BLOCK, defineKind, withoutMembers } from '../model/kind/kind.ts';
import { declareServiceKind } from '../model/schemas/services/service.ts';

const DRIVE_SERVICE_TYPES = ['GoogleDrive', 'SharePoint', 'Sftp', 'CustomDrive'] as const;

export const driveService = defineKind({
  ...declareServiceKind({
    entityType: 'driveService',
    label: 'DriveService',
    path: 'services/driveServices',
    title: 'Drive services',
    index: 'drive_service_search_index',
    types: DRIVE_SERVICE_TYPES,
  }),
  // Clients refuse this member of drive services, unlike that of other services.
  base: withoutMembers(BASE_BLOCK, 'entityStatus', 'sourceUrl'),
});
