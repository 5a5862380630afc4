// Says which server is fed with every change from now on; null until its collections are complete.
UNWIND $rows AS row
MERGE (feeding:Feeding {name: 'typesense'})
SET feeding.server = row.server
RETURN feeding.name AS name
