window.SwaggerUIBundle({ url: '/openapi.json', dom_id: '#ui', validatorUrl: null, tryItOutEnabled: true, docExpansion: 'list' });
