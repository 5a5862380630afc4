// Assigns intents to other jobs. The lock comes before the check, so that only one of two processes gets an intent.
UNWIND $rows AS row
MATCH (intent:Intent {id: row.intentId})
SET intent.touched = true
WITH intent, row
WHERE intent.id = row.intentId
SET intent.id = row.jobId
RETURN row.at AS at
