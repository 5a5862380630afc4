// Reads which server is fed with every change; null while its collections are not complete.
MATCH (feeding:Feeding {name: 'typesense'})
RETURN feeding.server AS server
