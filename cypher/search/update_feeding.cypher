// Stores which server receives every change; null until its collections are complete.
UNWIND $rows AS row
MERGE (feeding:Feeding {name: 'typesense'})
SET feeding.server = row.server
RETURN feeding.name AS name
