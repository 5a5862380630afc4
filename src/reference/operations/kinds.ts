/**
 * What the operations of every kind do, by method and the path below the collection. `{one}`, `{a}`, `{many}` and
 * `{type}` stand for the words of the kind.
 */
export const KIND_OPERATIONS: Readonly<Record<string, string>> = {
  'GET ':
    'Returns a page of {many} in the order of their names. The cursors in `paging` lead to the pages after and before it; `total` counts all {many} that match the filters. Optional members come only when `fields` names them.',
  'POST ':
    'Creates {a} and returns it with version 0.1. The parent and all other assets that the body names must exist. A name that is taken is refused with 409, also when its holder is marked as deleted.',
  'PUT ':
    'Creates {a}, or updates the one with the same fully qualified name. Members that the body lacks keep owners, tags, domains and custom properties as they are; lists such as columns are replaced. One that was marked as deleted is restored first.',
  'GET /{id}':
    'Returns the {one} with this ID. Optional members come only when `fields` names them. With `If-None-Match` the answer is 304 without a body while nothing has changed.',
  'PATCH /{id}':
    'Changes the {one} with this ID by a JSON Patch (an array of operations) or a merge patch (an object). All of the patch is applied or nothing; each change makes a new version. With `dryRun=true` everything is checked, nothing changes, and the answer is the {one} as it is.',
  'DELETE /{id}':
    'Marks the {one} with this ID as deleted, or deletes it for good with `hardDelete=true`. One that has children is refused unless `recursive=true`.',
  'GET /name/{fqn}':
    'Returns the {one} with this fully qualified name, percent-encoded in one segment of the path. Optional members come only when `fields` names them.',
  'PATCH /name/{fqn}':
    'Changes the {one} with this fully qualified name by a JSON Patch (an array of operations) or a merge patch (an object). All of the patch is applied or nothing; each change makes a new version. With `dryRun=true` everything is checked, nothing changes, and the answer is the {one} as it is.',
  'DELETE /name/{fqn}':
    'Marks the {one} with this fully qualified name as deleted, or deletes it for good with `hardDelete=true`. One that has children is refused unless `recursive=true`.',
  'GET /history': 'Returns the states that {many} had in a time range, newest first. Deleted {many} are included.',
  'GET /{id}/versions':
    'Returns the states of the {one}, newest first. Each is the JSON text of the {one} as it was. Works for deleted ones too.',
  'GET /{id}/versions/{version}':
    'Returns the {one} as it was at this version, such as 0.2. Works for deleted ones too.',
  'PUT /bulk':
    'Creates or updates up to 5,000 {many}. Each row is validated, authorized and written on its own: the answer lists those that passed and those that failed, with the reason. With `async=true` a job does the work.',
  'DELETE /deleteStale':
    'Marks as deleted all {many} in a scope that an ingestion run has no longer seen. With `dryRun` the answer lists them and nothing changes.',
  'DELETE /async/{id}':
    'Starts a job that deletes the {one} with all its descendants, and returns the ID of the job. For {many} with more below them than one request can delete.',
  'PUT /restore':
    'Restores {a} that is marked as deleted, with the children that were deleted with it. With `async=true` a job does the work.',
  'PUT /{id}/followers':
    'Makes a user follow the {one}: followers are notified of its changes. The body is the ID of the user as a JSON string. Following twice changes nothing.',
  'DELETE /{id}/followers/{userId}': 'Ends that a user follows the {one}. If the user does not, nothing changes.',
  'PUT /{id}/vote': 'Sets the vote of the caller on the {one}: up, down or none. A new vote replaces the former.',
  'PUT /{id}/testConnectionResult':
    'Stores what a connector found when it last tested the connection of the {one}. The credentials are not tested by this service.',
  'GET /name/{fqn}/assets': 'Returns a page of the assets of the {one}, those of its descendants included.',
  'GET /name/{fqn}/context':
    'Returns what the catalog knows of the {one} as one Markdown page: description, owners, columns, lineage, contracts and tests. For people and language models.',
  'GET /{id}/columns':
    'Returns the columns of the {one} as they stand in it, without the rest of the {one}: all, or a page of them. The fields of a schema and the features of a model are columns here.',
  'GET /name/{fqn}/columns':
    'Returns the columns of the {one} with this fully qualified name as they stand in it, without the rest of the {one}: all, or a page of them.',
  'GET /{id}/columns/search':
    'Returns the columns of the {one}, at any depth, whose name, display name or description contains a text.',
  'GET /name/{fqn}/columns/search':
    'Returns the columns of the {one} with this fully qualified name, at any depth, whose name, display name or description contains a text.',
  'GET /{id}/sampleData': 'Returns the {one} with its sample data, for callers who may view samples.',
  'PUT /{id}/sampleData':
    'Stores sample data of the {one} and replaces what was there. The version of the {one} does not change.',
  'DELETE /{id}/sampleData': 'Removes the sample data of the {one}. Its version does not change.',
  'PUT /{name}/assets/add':
    'Adds assets to the {one}. Each is validated and authorized on its own: the answer lists those that failed.',
  'PUT /{name}/assets/remove':
    'Removes assets from the {one}. Each is authorized on its own: the answer lists those that failed.',
  'GET /name/{fqn}/export': 'Returns the contents of the {one} as a CSV file that an import accepts again.',
  'GET /name/{fqn}/exportAsync':
    'Starts a job that writes the contents of the {one} as CSV, and returns its ID. The result of the job is the file.',
  'PUT /name/{fqn}/import':
    'Changes the contents of the {one} by the rows of a CSV file. With `dryRun=true` nothing changes and the answer tells what would. A file that cannot be read is refused with 400 and the result so far.',
  'PUT /name/{fqn}/importAsync':
    'Starts a job that imports the rows of a CSV file into the {one}, and returns its ID. The result of the job tells of each row.',
  'GET /documentation/csv':
    'Describes the columns of the CSV files of {many}: which are required, and what they accept.',
};

/** What the usage operations of every kind do, by method and what follows the entity type. */
export const USAGE_OPERATIONS: Readonly<Record<string, string>> = {
  'GET {id}': 'Returns how often the {one} was used on each of the days up to a date, and how it ranks among {many}.',
  'GET name/{fqn}':
    'Returns how often the {one} with this fully qualified name was used on each of the days up to a date.',
  'POST {id}': 'Adds a number of uses to a day of the {one}. Callers that count in parts add them up.',
  'POST name/{fqn}': 'Adds a number of uses to a day of the {one} with this fully qualified name.',
  'PUT {id}': 'Sets the number of uses on a day of the {one}, whatever was counted before.',
  'PUT name/{fqn}': 'Sets the number of uses on a day of the {one} with this fully qualified name.',
  'POST {date}':
    'Ranks all {many} by their uses on this day, week and month, and stores the percentile of each. Runs after the answer.',
};
