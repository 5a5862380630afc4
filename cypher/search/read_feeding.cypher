// Reads which server receives every change; null while its collections are incomplete.
MATCH (feeding:Feeding {name: 'typesense'})
RETURN feeding.server AS server
