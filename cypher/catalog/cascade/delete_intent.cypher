// Deletes intents that are carried out.
UNWIND $rows AS row
MATCH (intent:Intent {id: row.intentId})
DETACH DELETE intent
RETURN row.at AS at
