// Hands intents over to other jobs. The lock comes before the look, so that of two who found it only one gets it.
UNWIND $rows AS row
MATCH (intent:Intent {id: row.intentId})
SET intent.touched = true
WITH intent, row
WHERE intent.id = row.intentId
SET intent.id = row.jobId
RETURN row.at AS at
