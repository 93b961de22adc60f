/**
 * The English sentence of each reason of a refusal: the `errorMessage` of answers, and the text of English pages. A
 * reason is never renamed and never changes its meaning (docs/errors.md). `{{name}}` is a value that the refusing
 * code must pass.
 */
export const ENGLISH = {
  // Bodies, headers and parameters of any call
  'request.body': 'The request body must be a JSON object with the fields that this call needs.',
  'request.notJson': 'What was sent is not JSON: look at its quotes and commas.',
  'request.notUtf8': 'The request body is not valid UTF-8.',
  'request.tooLarge': 'The request body is too large.',
  'request.tooDeep': 'The request body is nested too deeply.',
  'request.contentType': 'The content type must be application/json in UTF-8.',
  'request.compressed':
    'Send the request body without compression: the server reads no gzip and no other Content-Encoding.',
  'request.notForm':
    'Send the fields as an HTML form does, with the content type application/x-www-form-urlencoded.',
  'request.notMultipart': 'The content type must be multipart/form-data.',
  'request.parametersInBody': 'The parameters of this call belong in the request body.',
  'request.parametersInAddress': 'The parameters of this call belong in the address.',
  'request.headers': 'A request can have at most {{most}} headers.',
  'request.httpVersion': 'Requests must be HTTP/1.1.',
  'request.hosts': 'A request must have exactly one "Host" header.',
  'request.tooMany': 'Too many requests. Try again later.',
  'parameters.wrong': 'A parameter is missing or wrong.',
  'parameters.dryRun':
    'Nothing was done: for a dry run, add "dryRun=yes" to the address, in this spelling.',
  'parameters.noDryRun': 'Nothing was done: this call has no dry run.',
  'parameters.noFilter':
    '"{{field}}" is not a parameter of this call. Name a relying party in the header {{header}}.',
  'parameters.unknown': '"{{name}}" is no parameter of this call, which has these: {{names}}.',
  'parameters.none': '"{{name}}" is no parameter of this call, which has none.',
  'parameters.nested': '"{{name}}" is nested: each parameter must be a single string.',
  'parameters.notUtf8': 'The parameters must be UTF-8.',
  'parameters.tooMany': 'The parameters are nested too deeply, or there are too many.',
  'path.unknown': 'There is no such path.',
  'path.allowed': 'It supports {{methods}}.',
  'path.method': 'This path does not support {{method}}.',
  'operation.unknown': 'The API has no operation "{{id}}".',
  'idempotencyKey.malformed':
    '"Idempotency-Key" must be 1 to 64 visible ASCII characters, sent once.',
  'idempotencyKey.reused':
    'This "Idempotency-Key" was already used with another request body. Use a new one.',
  'idempotencyKey.underWay': 'A call with this "Idempotency-Key" is still in progress. Try again.',
  'clientAddress.malformed': 'The address of the client must be an IPv4 or IPv6 address.',

  // Fields, by rules that many calls share
  'field.text': '"{{field}}" must be a string.',
  'field.missing': '"{{field}}" is missing.',
  'field.base64url': '"{{field}}" must be a string in Base64URL.',
  'field.json':
    '"{{field}}" must contain a JSON object in UTF-8, each of whose members occurs once.',
  'field.strings': '"{{field}}" must be an array of at most {{most}} strings.',
  'field.flag': '"{{field}}" must be true or false.',
  'field.misspelt': '"{{field}}" was sent instead, which is no field of this call.',
  'field.object': '"{{field}}" must be an object.',
  'field.oneOf': '"{{field}}" must be one of {{words}}.',
  'field.someOf': '"{{field}}" must be an array of one or more of {{words}}.',
  'field.wholeNumber': '"{{field}}" must be a whole number from {{min}} to {{max}}.',
  'field.wholeNumberUpTo': '"{{field}}" must be a whole number up to {{max}}.',
  'field.once': '"{{field}}" must be a single string.',
  'field.groups':
    '"{{field}}" must be an array of at most {{most}} different names of 1 to 255 bytes.',
  'field.texts': '"{{field}}" must contain only non-empty strings.',
  'field.maxCharacters': '"{{field}}" must be a string of at most {{most}} characters.',
  'field.characters':
    '"{{field}}" contains a character that no text may have: a control character or a noncharacter.',
  'field.search': '"{{field}}" must be a single string of at most {{most}} characters.',
  'field.maxBytes': '"{{field}}" must be a single string of at most {{most}} bytes.',
  'field.utf8': '"{{field}}" must be a string of 1 to {{most}} bytes of UTF-8.',
  'field.name':
    '"{{field}}" must be a string of 1 to {{most}} bytes of UTF-8, without control, invisible or direction characters and without white space at either end.',
  'field.displayName':
    '"{{field}}" must be a string of 1 to {{most}} bytes of UTF-8, without control, invisible or direction characters (joiners and variation selectors are allowed).',
  'field.visibleName':
    '"{{field}}" must be a string of 1 to {{most}} characters, none of them invisible.',
  'field.date': '"{{field}}" must be a date such as 2026-01-31 or 2026-01-31T09:00:00Z.',
  'field.timeZone': '"{{field}}" must be a time zone such as Europe/Berlin.',
  'field.day': '"{{field}}" must be a date in the form YYYY-MM-DD.',
  'field.oneDay': '"{{field}}" must be a single date in the form YYYY-MM-DD.',
  'field.period': '"to" must not be before "from".',
  'field.oneMonth': '"{{field}}" must be a single month in the form YYYY-MM.',
  'field.moment': '"{{field}}" must be a date and a time (UTC).',
  'field.time': '"{{field}}" must be a time in ISO 8601, or milliseconds since 1970.',
  'field.aaguid': '"{{field}}" must be an AAGUID written as a hyphenated UUID.',
  'field.position': '"{{field}}" must be the "next" value of an earlier answer.',
  'field.requestId': '"{{field}}" must be the request ID of an earlier answer.',
  'field.domain':
    '"{{field}}" must be a domain name such as login.example.com, in lower case (non-ASCII letters as xn--…), not an IP address.',
  'field.domains': '"{{field}}" must be an array of 1 to {{most}} domains.',
  'field.tenantName': '"{{field}}" must be 1 to 64 characters of a–z, 0–9 and hyphen.',
  'field.password': '"{{field}}" must have {{min}} to {{max}} characters.',
  'field.origins':
    '"{{field}}" must be an array of up to {{most}} origins such as https://www.example.com, https://*.example.com or http://localhost:*.',
  'field.redirectUris':
    '"{{field}}" must be an array of at most {{most}} different complete addresses, with https, or with http on localhost.',
  'field.guid': '"{{field}}" must be a GUID such as 9122040d-6c67-4c5b-b112-36a304b66dad.',
  'field.relatedOrigins':
    '"{{field}}" must be an array of up to {{most}} origins such as https://www.example.org, without wildcards.',
  'field.apps':
    '"{{field}}" must be {"android": [{"package": "com.example.app", "fingerprints": ["AB:CD:…"]}], "apple": ["TEAMID1234.com.example.app"]}, each with at most {{apps}} apps and each app with 1 to {{fingerprints}} SHA-256 fingerprints.',
  'field.passkeyEndpoints':
    '"{{field}}" must be {"enroll": …, "manage": …} with addresses that begin with https://.',
  'field.predecessor': '"{{field}}" must be null or the domain of another relying party.',
  'field.enrolmentUrl':
    '"{{field}}" must be null or an address of up to {{most}} characters that begins with https:// and has no #.',
  'field.colour': '"{{field}}" must be null or a colour such as #1f6feb.',
  'field.webhookUrl':
    '"{{field}}" must be an https:// address of at most {{most}} characters, without user name and fragment.',
  'field.users': '"{{field}}" must name at most {{most}} users.',
  'field.userNames': '"{{field}}" must be an array of strings.',
  'field.storedNumber':
    '"{{field}}" must be the number of an invoice such as 12, or of a statement such as S-12.',
  'field.algorithms':
    '"{{field}}" must be an array of 1 to {{most}} known algorithms such as es256.',
  'field.extensions': '"{{field}}" must be an object of at most 2 KiB with valid extension inputs.',
  'field.appId': '"{{field}}.{{name}}" is not supported: no relying party here has a U2F AppID.',
  'field.hints': '"{{field}}" must be an array of some of {{words}}.',
  'field.transaction':
    '"{{field}}" must be {"text": …} of 1 to {{most}} bytes of UTF-8, or {"hash": …}, a SHA-256 in Base64URL.',

  // The four calls: format
  'type.missing': 'The field "type" is missing.',
  'type.notText': 'The field "type" must be a string.',
  'type.notPublicKey': 'The field "type" must be "public-key".',
  'id.missing': 'The field "id" is missing or is not a string.',
  'id.malformed': 'The fields "id" and "rawId" must contain the same credential ID in Base64URL.',
  'registration.malformed': 'The registration response is not in the expected format.',
  'authentication.malformed': 'The authentication response is not in the expected format.',
  'response.notObject': 'The field "response" must be an object.',
  'clientData.malformed':
    'The client data is missing, is not Base64URL or is not the expected JSON.',
  'clientData.missing': 'The client data is missing.',
  'clientData.notJson': 'The client data is not Base64URL or is not the expected JSON.',
  'clientData.tokenBinding': 'The client data contains a token binding, which is not supported.',
  'clientData.ceremony': 'The client data belongs to another ceremony.',
  'authenticatorData.missing': 'The authenticator data is missing.',
  'authenticatorData.malformed': 'The authenticator data is not Base64URL or is malformed.',
  'authenticatorData.cut': 'The authenticator data or the attestation object is truncated.',
  'authenticatorData.leftOver':
    'Extra bytes follow the authenticator data or the attestation object.',
  'aaguid.cut': 'The attested credential data ends inside its AAGUID.',
  'signature.malformed': 'The signature is missing or is not Base64URL.',
  'keypair.malformed': 'The field "keypair" must be a JSON object of at most 4 KiB and 8 levels.',
  'userHandle.missing': 'A sign-in without a user name must return the user handle of the key.',
  'userHandle.otherUser': 'The user handle does not match this user.',

  // The four calls: ceremony, relying party, credential
  'session.over': 'The session has expired or was already used. Begin again.',
  'oidc.interactionOver':
    'This sign-in has ended, or another browser began it. Go back to the application and begin again.',
  'session.cookieMissing':
    'The session cookie of the begin call was not sent back. Send it or, after a begin call with an application key, the same key and its "ceremony".',
  'proxy.protocol':
    'The page {{origin}} uses HTTPS, but this server sees HTTP, so browsers drop its cookie. Set --trust-proxy to the number of proxies, and let the first one send X-Forwarded-Proto.',
  'proxy.host':
    'The page {{origin}} has called this server as {{host}}. The proxy in front must forward "Host", or send X-Forwarded-Host where --trust-proxy is set.',
  'session.ceremonyMissing':
    'A result call with an application key needs the "ceremony" of the answer to its begin call, which must have the same key.',
  'session.keyMissing':
    'The begin call had an application key: send the same key with the result call.',
  'session.otherKind':
    'The challenge belongs to the other ceremony: a registration and a sign-in each have their own result call.',
  'session.otherRelyingParty':
    'This ceremony was begun at another relying party. Name the same one in both calls.',
  'session.notIssued':
    'The challenge was not issued in this session: send the cookie of its begin call or, with the same application key, its "ceremony".',
  'session.expired': 'The session has expired. Begin again.',
  'session.ended':
    'The user was locked out or deleted after this registration began. It creates no key.',
  'session.used':
    'This ceremony was already used, or newer ones of the session replaced it. Begin again.',
  'base64url.padded': '"{{field}}" ends with "=". Base64URL has no padding: remove it.',
  'base64url.plain':
    '"{{field}}" is plain Base64. Send Base64URL: "-" for "+", "_" for "/", and no "=" at the end.',
  'challenge.encodedTwice':
    'The challenge was encoded twice. Decode the challenge of the options before you pass it on as bytes.',
  'challenge.mismatch':
    'The challenge is not the one that was issued. Use the options of the begin call of this session.',
  'origin.notAllowed': 'The origin {{origin}} is not allowed for this relying party.',
  'origin.embedded': 'This relying party does not allow the page that embeds this ceremony.',
  'rpId.mismatch': 'The authenticator answered for another relying party ID.',
  'flags.wrong': 'The authenticator data flags are not acceptable.',
  'user.notPresent': 'The authenticator did not report that a user was present.',
  'user.notVerified': 'The authenticator did not verify the user, which is required.',
  'user.noUsableKey': 'No key of this user can sign in here.',
  'signature.wrong': 'The signature does not verify.',
  'credential.unknown': 'This user has no such key at this relying party.',
  'credential.disabled': 'This key is disabled.',
  'credential.counter':
    'The signature counter did not increase: the authenticator may have been cloned.',
  'credential.overtaken':
    'Another sign-in with this key was stored first, while the database was unavailable. Sign in again.',
  'credential.registered': 'This key is already registered.',
  'credential.unproved': 'The attestation of this key is no longer trusted.',
  'credential.wrongAcr': 'This key does not satisfy the requested "acr".',
  'credential.notProtected': 'The authenticator did not apply the requested credential protection.',
  'publicKey.unacceptable': 'The public key or its algorithm is not acceptable.',
  'algorithms.noneAllowed': 'None of these algorithms is allowed for this relying party.',
  'relyingParty.unknown':
    'No relying party matches this call. Send the domain of one in the header X-ServiceFido-RelyingParty.',
  'relyingParty.header':
    'The header X-ServiceFido-RelyingParty must contain one domain name or one URL.',
  'relyingParty.needed': 'Name one relying party in the header {{header}}.',
  'relyingParty.headerIgnored':
    'The header {{header}} was ignored: "{{field}}" names another tenant or relying party.',
  'relyingParty.contradicted':
    '"{{field}}" names another tenant or relying party than the header {{header}}.',
  'relyingParty.keysOnly': 'This relying party accepts only calls with an application key.',
  'audience.notListed':
    '"audience" must be one of the relying party\'s "audiences", and "{{audience}}" is not.',
  'audience.notYours': 'This audience belongs to another tenant.',
  'token.off': 'Tokens are switched off, so this call cannot request claims of a token.',
  'userId.needsName': '"userId" needs a "username".',
  'userId.needsKey': '"userId" needs an application key.',
  'userId.conflict': 'This user has another "userId", or another user has this one.',
  'userId.needsBothDomains':
    'During a move, a first "userId" is set at both domains. This application key covers only one of them.',

  // Who may register
  'registration.noPrompt':
    'User verification is required, but a registration without a prompt cannot verify the user.',
  'secondFactor.needsKey': '"secondFactor" needs an application key.',
  'secondFactor.needsName': '"secondFactor" needs a "username".',
  'ticket.needsName': 'A "ticket" needs a "username": it is for one user.',
  'registration.needsApplication':
    'A registration without a prompt needs an application key here, and accepts no "ticket".',
  'registration.needsProof':
    "Without a prompt the caller must prove who the user is: send the token of the user's sign-in with user verification within five minutes, or call with an application key.",
  'registration.needsLink':
    'A user of the old domain has this name: sign in with a key of that domain, or follow an invitation with "link".',
  'ticket.notValid':
    'This "ticket" permits no registration here: it was used, has ended, is for another user, or never existed.',
  'registration.needsTicket': 'A registration needs a valid "ticket" here.',
  'registration.needsToken':
    'This user exists: to add a key, sign in with user verification and send the token within five minutes, or send a "ticket".',
  'registration.ticketUsed': 'This "ticket" has registered another key in the meantime.',
  'registration.permitGone':
    "The user's keys have changed since the begin call: sign in and begin again.",
  'registration.secondOpinion': 'A second verifier refuses this registration.',
  'registration.tooManyKeys': 'A user can have at most {{most}} keys.',

  // Attestation and trust
  'attestation.u2fAaguid': 'A fido-u2f attestation must have an AAGUID of zero.',
  'attestation.malformed':
    'The attestation object or its statement is malformed or of an unknown format.',
  'attestation.unknownFormat': 'The attestation statement has a format that is not supported.',
  'attestation.algorithm': 'The algorithm of the attestation statement is wrong or not supported.',
  'attestation.signature': 'The signature of the attestation statement does not verify.',
  'attestation.certificate': 'The attestation certificate breaks the rules of its format.',
  'attestation.path': 'The certificate chain of the attestation does not verify.',
  'attestation.foreign': 'The attestation statement does not belong to this ceremony or key.',
  'trust.refused': 'This authenticator is not trusted.',
  'trust.required': 'A trusted attestation is required.',
  'trust.noAnchor': 'The certificates of the attestation lead to no trust anchor.',
  'trust.disowned':
    'The metadata service lists this authenticator model, but the attestation leads to none of the roots in its entry.',
  'trust.certificateRevoked':
    'A certificate of the attestation is revoked by the authority that issued it.',
  'trust.phoneRevoked': 'The attestation key of this phone is revoked.',
  'trust.status': 'The metadata service reports for this authenticator model: {{status}}.',
  'model.jobRunning': 'A job is already changing the keys of this model. Wait until it has ended.',
  'model.noKeys': 'There is no key of this model.',
  'model.noJob': 'There is no such job for this model.',
  'model.notListed': 'This authenticator model is not on the whitelist.',
  'model.listedUnproved':
    'This authenticator model is on the whitelist, but the attestation does not prove it: it leads to no trust anchor of the model, the metadata or the relying party.',
  'model.nothingProves':
    'Nothing proves the models on the whitelist: configure FIDO metadata or trust anchors.',
  'model.blocked': 'This authenticator model is blocked.',
  'model.notAllowed': 'The policy does not allow this authenticator model.',
  'model.certification':
    'This authenticator model is not known to have the required certification level.',
  'model.certificationProfile':
    'This authenticator model is not known to have a required certification profile.',
  'model.fips': 'This authenticator model is not known to have the required FIPS 140 level.',
  'model.fipsRevision':
    'This authenticator model is not known to have a FIPS 140 certificate of the required revision.',
  'model.fipsPhysical':
    'This authenticator model is not known to have the required level of FIPS 140 physical security.',
  'rule.broken': 'The key does not satisfy the rule "{{rule}}" of the policy.',
  'rule.notDiscoverable': 'The authenticator did not create a discoverable credential.',
  'rule.backupEligible': 'Keys that can be synced or backed up are not allowed.',
  'rule.algorithm': 'The algorithm of this key is not allowed.',
  'rule.format': 'The format of the attestation is not allowed.',
  'rule.attestationType': 'This type of attestation is not allowed.',
  'rule.maxCredentials': 'This user already has the maximum number of keys.',

  // Who may call
  'authentication.needed': 'Authentication is required.',
  'authentication.how':
    'Send the name and password of an account by HTTP Basic, or an application key as "Authorization: Bearer sfk_…".',
  'authorization.empty':
    'The "Authorization" header has no key or token after "Bearer": the variable is not set or not replaced, or quotes are part of its value.',
  'authorization.ignored':
    'The "Authorization" header was ignored: it contains neither an application key (sfk_…) nor a token of this server.',
  'authorization.keyElsewhere':
    'An application key counts only as "Authorization: Bearer sfk_…", not in the address, in another header or behind another word.',
  'authentication.token': 'Sign in, and send the token as "Authorization: Bearer".',
  'token.issuer':
    'The token was issued by "{{issuer}}", and this server issues tokens as "{{ours}}".',
  'token.audience': 'The token is for "{{audience}}", and this call needs one for "{{ours}}".',
  'token.expired':
    'The token expired at {{until}}; the time of this server is {{now}}. Sign in again.',
  'token.early':
    'The token is valid from {{from}}, but the time of this server is {{now}}: check the clocks.',
  'authentication.metrics': 'The metrics of this server need the --metrics-key as a bearer token.',
  'permission.denied': 'This is not permitted.',
  'permission.role': 'Your role may not do this.',
  'permission.limitedAccount': 'An account that is limited to tenants may not do this.',
  'permission.loopbackOnly':
    "With --auth off the administration is open only to the server's own machine: use localhost or 127.0.0.1 as the host.",
  'applicationKey.needed':
    'No application key was sent: send it as "Authorization: Bearer sfk_…". There is no other way to call this address.',
  'applicationKey.invalid': 'The application key is unknown, expired or revoked.',
  'applicationKey.wholeTenant':
    'This call concerns a whole tenant, but this application key is limited to relying parties.',
  'applicationKey.closed': 'This call does not accept application keys.',
  'applicationKey.needsScope': 'The application key needs the permission "{{scope}}".',
  'applicationKey.notCovered': 'The application key does not cover this relying party.',
  'applicationKey.policyMember': 'An application key may not change "policy.{{rule}}".',
  'crossSite.foreign':
    'A page of another site may not change anything here: use the pages under /userapi, or send the same parameters by POST as JSON.',
  'crossSite.origin':
    'A page of another site may not change anything here ("Origin" is not this host; a proxy in front must forward "Host"): use the pages under /userapi, or send the same parameters by POST as JSON.',
  'crossSite.prefetch':
    'A prefetch may not change anything: use the pages under /userapi, or send the same parameters by POST as JSON.',
  'crossSite.head':
    'HEAD never changes anything: use the pages under /userapi, or send the same parameters by POST as JSON.',
  'crossSite.browserGet':
    'A browser may not change anything by GET, since another site may have sent it here: use the pages under /userapi, or send the same parameters by POST as JSON.',
  'form.underWay':
    'This form was already sent and is still being processed. Open the page again to see whether it took effect.',
  'form.noToken':
    'This form has no valid token of its page. Load the page again, then send the form.',

  // My keys
  'myKeys.nameNeeded': 'A call with an application key needs a "username".',
  'myKeys.notByApplication':
    'Only a token of the user can change these keys, not an application key.',
  'myKeys.stepUp':
    'To change keys, sign in with user verification and send the token within five minutes.',
  'myKeys.disabled': 'This key is disabled. Only the help desk can delete or enable it.',
  'myKeys.lastKey':
    'This is the last key with which the user can sign in. To delete it anyway, send "confirm=last".',
  'myKeys.reportsItself':
    'You signed in with this key. To report it, sign in with another key; or delete it.',

  // Invitations
  'invitation.unknown': 'There is no such invitation.',
  'ticket.ignored': '"ticket" was ignored: this registration needs none.',
  'ticket.unknown': 'There is no such ticket: it was used, has ended, or never existed.',
  'invitation.codeUnknown': 'No invitation has this code here.',
  'invitation.linkWrong':
    'No invitation has this code here: the link is incomplete or belongs to another service.',
  'invitation.otherName': 'This invitation is for another user name.',
  'invitation.otherUser':
    'This invitation is not for the current user of this name. Ask for a new one.',
  'invitation.raced': 'This invitation has just registered another key. Begin again.',
  'invitation.needsToken':
    'This invitation has already registered a key. For another one, sign in with that key and user verification, and send the token within five minutes.',
  'invitation.used':
    'This invitation has been used: its keys are registered. Sign in with one of them.',
  'invitation.expired': 'This invitation has expired. Ask for a new one.',
  'invitation.revoked': 'This invitation was withdrawn. Ask the sender for a new one.',
  'invitation.locked':
    'Too many wrong user names were entered for this invitation. Ask for a new one.',
  'invitation.wornOut':
    'Too many registrations were begun with this invitation. Ask for a new one.',
  'invitation.needsLink':
    'A user of the old domain has this name: say "link": true if the invitation is for that user, else choose another name.',
  'invitation.linkNeedsAccount':
    'The user of this name has a key here: an account can link the user to the one of the old domain, an application key cannot.',
  'invitation.needsTokens':
    '"minKeys" must be 1: each further key needs a token, and tokens are switched off.',
  'invitation.isOpen': 'The user has an open invitation: no other one was issued.',
  'invitation.more':
    'More users are to be invited, and a file has at most {{most}} links: send the form again.',
  'invitation.noPage':
    'The invitation has no page to open: set the relying party\'s "enrolmentUrl", or add this server\'s own origin to its "origins".',

  // Users and their keys
  'user.unknown': 'There is no such user.',
  'user.unknownHere': 'There is no such user at this relying party.',
  'user.suspended': 'This user is suspended.',
  'permit.suspended': 'The user is suspended, and cannot use it until the suspension ends.',
  'groups.ofDirectory': 'A directory decides about the groups of this user.',
  'groups.needsKey': '"groups" needs an application key with the permission "groups".',
  'groups.ignored':
    '"groups" was ignored: the user exists. PUT /userapi/users/groups changes the groups.',
  'user.noMatch': 'No user or key matches.',
  'user.linkedElsewhere':
    'At the new domain, this name belongs to a user who is linked to another user of the old domain. Rename that user first.',
  'user.changing': 'Another call is changing this user. Try again.',
  'user.nameTaken':
    'Another user of this relying party, or of the other domain of a move, has this name.',
  'scim.operations':
    '"Operations" must be an array of 1 to {{most}} operations, each with "op": add, remove or replace.',
  'scim.operation': '"{{name}}" is no member of an operation, which has "op", "path" and "value".',
  'scim.path': 'The path "{{path}}" names no attribute that can be changed so.',
  'scim.attribute':
    '"{{name}}" is no attribute of this resource. It has those of the schemas {{names}}; those of an extension belong below its name.',
  'scim.schema': '"schemas" names {{name}}, the schema of another kind of resource.',
  'scim.value': '"{{field}}" has a value that is not supported.',
  'scim.filter':
    'This filter is not supported: compare attributes by eq, joined by and; one of them must name an ID or a name.',
  'scim.groupTaken': 'Another group of this relying party has this displayName or externalId.',
  'scim.groupUnknown': 'No group of this relying party has this ID.',
  'scim.memberUnknown': 'The member "{{id}}" is no user of this relying party.',
  'scim.memberElsewhere':
    'The member "{{id}}" is not managed by the directory. Change the user by SCIM first, for example the externalId.',
  'scim.memberOfMany': 'The member "{{id}}" is in {{most}} groups, and nobody can be in more.',
  'scim.membersTooMany':
    'This group has more than {{most}} members: read it with "excludedAttributes=members".',
  'scim.externalIdTaken': 'Another user of this relying party has this externalId.',
  'user.nothingToChange': 'Send "newUsername", "displayName" or both.',
  'user.nothingKept': 'Nothing is stored about this user name.',
  'filter.needed': '"{{type}}" needs a "filter".',
  'filter.everybody': 'This filter matches all users: send "confirm" with the value "all".',
  'filter.deviceNeeded': '"{{type}}" needs a "device".',
  'filter.noDevice': '"{{type}}" takes no "device".',
  'filter.noPage': '"{{type}}" takes neither "limit" nor "cursor": it changes all that match.',
  'bulk.unconfirmed': 'Type the number of users to confirm. Nothing was changed.',
  'cursor.wrong': '"cursor" must be the "next" value of an earlier answer.',
  'cursor.notOfPage': '"cursor" must come from a link of this page.',
  'cursor.after': '"after" must be the "next" value of an earlier answer, or 0.',
  'cursor.epoch':
    'A backup was restored, and the event after which to continue no longer exists. Continue with "next"; events may repeat.',
  'cursor.afterAlone': '"after" can be combined only with "limit", not with "{{name}}".',
  'receipt.unknown': 'There is no such receipt.',
  'nothing.matches': 'Nothing matches.',

  // Lists and other files
  'lists.tooManyReaders':
    'You are already reading {{most}} whole lists. Read them one after the other, or page by page with "limit".',
  'lists.tooManyUploads':
    'You are already uploading {{most}} lists. Wait until one upload has ended.',
  'list.tooLong': 'A list has at most 1,000,000 names.',
  'list.empty': 'The list contains no user name.',
  'list.begun': 'The deletion of this list has begun: names can no longer be added.',
  'list.gone': 'This list has expired: lists are kept for an hour. Upload it again.',
  'list.unknownUpload': '"uploadId" must name a list that you uploaded recently.',
  'list.usersOrUpload': 'Send a file, or "users", or an "uploadId".',
  'list.notNames': 'The file must be a list of user names as text in UTF-8.',
  'list.noNames':
    'No column of user names was found: the first line must name it, for example username, userPrincipalName or email. No user was changed.',
  'list.lineTooLong': 'Line {{line}} is too long.',
  'file.missing': 'The upload contains no file.',
  'file.needed': 'A file is missing.',
  'file.neededIn': 'A file in the field "{{field}}" is missing.',
  'file.oneOnly': 'Send exactly one file.',
  'file.oneOnlyIn': 'Send exactly one file, in the field "{{field}}".',
  'file.late': 'There is too much data before the file.',
  'file.tooManyParts': 'The multipart body has too many parts.',
  'file.cut': 'The multipart body is malformed or cut off.',
  'file.spreadsheet':
    'This is a spreadsheet file. Open it and save it as "CSV UTF-8" (Excel: File, Save As; LibreOffice: Save As, Text CSV), then upload that file.',
  'file.notUtf8': 'The file must be text in UTF-8.',
  'file.notCsv': 'The file is not well-formed CSV.',
  'file.notJson': 'The file is not well-formed JSON.',
  'file.jsonCut': 'The file is not a complete JSON document.',
  'file.jsonSeveral': 'The file is not a single JSON document.',
  'file.jsonTooDeep': 'The file is nested too deeply.',
  'file.jsonOther': 'The JSON document does not have the expected form.',
  'file.empty': 'The file is empty.',

  // Import
  'import.recordTooLong': 'A record has at most {{most}} bytes.',
  'import.recordNotUtf8': 'The record is not text in UTF-8.',
  'import.recordNotObject': 'The record is not a JSON object.',
  'import.recordType': '"type" must be "user".',
  'import.firstLine': 'The first line must name the format "{{format}}", version {{version}}.',
  'import.otherRelyingParty':
    'The export belongs to another relying party: its keys are bound to that RP ID and cannot be used here.',
  'import.cut': 'The last line is missing: the export was cut off.',
  'import.counts':
    'The file is incomplete: the counts in its last line differ from the {{users}} users and {{keys}} keys before it.',
  'import.afterEnd': 'This record follows the last line of the export.',
  'import.underWay':
    'Another import for this relying party has begun, or the relying party was removed.',
  'import.removed':
    'The relying party or its tenant was removed during the import. No further users are stored.',
  'import.contended': 'Other calls are changing the users of this import. Begin again.',
  'import.handleLength': 'The user handle must be 1 to {{most}} bytes.',
  'import.handleMissing': 'The user handle is missing.',
  'import.handles': 'A user has at most {{most}} user handles.',
  'import.handleTaken': 'Another user has this user handle.',
  'import.needsLink':
    'A user of the old domain has this name, who moves here by a sign-in or by an invitation with "link".',
  'import.nameTaken': 'A user with this name exists, with another user handle.',
  'import.userIdTaken': 'Another user has this "userId".',
  'import.userIdDiffers': 'The user with this name and user handle has another "userId".',
  'import.credentialTaken': 'Another user has this key.',
  'import.tooManyKeys': 'A user can have at most {{most}} keys.',
  'import.credentialId': 'The credential ID is missing or cannot be decoded.',
  'import.credentialIdLength': 'A credential ID has at most {{most}} bytes.',
  'import.publicKey': 'The public key is missing or cannot be decoded.',
  'import.aaguid': 'The AAGUID must be a UUID.',
  'import.rpId': 'The key was registered for another RP ID.',
  'import.attestation': 'The attestation does not prove this key.',

  // Tenants, relying parties, policies
  'tenant.unknown': 'There is no such tenant.',
  'tenant.taken': 'There is already a tenant "{{tenant}}".',
  'tenant.noRelyingParty': 'The tenant has no such relying party.',
  'tenant.noDomain': 'The tenant "{{tenant}}" has no relying party "{{domain}}".',
  'relyingParty.taken': 'The domain "{{domain}}" already belongs to a relying party.',
  'relyingParty.choose': 'There is no such relying party, or none was chosen. Choose one.',
  'relyingParty.changing': 'Another call is changing this relying party. Try again.',
  'resource.changed':
    'Another change was made first, so this one was not made. Read the current state, then repeat the change.',
  'resource.changing': 'Another call is making a change at the same place. Try again.',
  'resource.noTag': '"If-Match" must be the ETag of an earlier answer.',
  'relyingParty.named':
    '"{{successor}}" takes over the users of "{{domain}}". End that move first.',
  'domain.notOwn':
    '"{{domain}}" is neither a domain of your tenants nor below one: an administrator of all tenants can add it.',
  'domain.taken':
    '"{{domain}}" is equal to, above or below a domain or an origin of another tenant, or is an audience there: ask an administrator of all tenants.',
  'audience.taken':
    'The tenant "{{otherTenant}}" owns or lists "{{audience}}", and an audience belongs to one tenant.',
  'audiences.foreign':
    'These audiences belong to another tenant, so no sign-in here gets a token for them: {{audiences}}. Remove them from the policy.',
  'audiences.listedElsewhere':
    'The policy of {{domain}} (tenant "{{otherTenant}}") lists audiences that belong to this domain: {{audiences}}. Sign-ins there no longer get tokens for them.',
  'domain.publicSuffix':
    '"{{domain}}" is a public suffix, below which strangers have domains too. Browsers let no page below it use its keys.',
  'origins.normalized': 'These origins are stored as browsers write them: {{origins}}.',
  'apps.unconfirmed':
    'Until an account of all tenants confirms these apps, their calls find this relying party only by the header X-ServiceFido-RelyingParty: {{origins}}.',
  'apps.notListed':
    '"{{origin}}" is not an app origin that this relying party lists, in "origins" or by "apps".',
  'origins.notEncrypted':
    'These origins are not encrypted: {{origins}}. Browsers offer no keys there, and anyone on the network path can change the pages. Use https://.',
  'origins.noneOfDomain':
    'None of these origins is on {{domain}} or below it, so no user can sign in on that domain. Pages of other domains work only as related origins.',
  'origins.ofOtherDomains':
    'These origins are neither on {{domain}} nor below it, so browsers do not use its keys there: {{origins}}. List them among the "relatedOrigins", or remove them.',
  'predecessor.notRelated':
    'Browsers do not offer keys of {{domain}} on these pages: {{origins}}. List them among the "relatedOrigins" of {{domain}}.',
  'relatedOrigins.tooMany':
    'Browsers must support only {{most}} different names among the related origins, in the order of the list, and may ignore these: {{beyond}}.',
  'enrolmentUrl.otherOrigin': '"enrolmentUrl" must be on one of the relying party\'s origins.',
  'wellKnown.nothing': 'Nothing is published as "{{name}}" for this domain.',
  'predecessor.otherTenant': '"predecessor" must be another relying party of the same tenant.',
  'predecessor.moving':
    '"predecessor": one of the two relying parties is already part of a move. End that move first.',
  'predecessor.taken':
    '"predecessor": another relying party takes over the users of "{{predecessor}}".',
  'predecessor.open':
    '"predecessor": the old domain must demand tickets ("policy.registration": "ticket") or application keys ("policy.callers": "keys"), because anyone who registers a name there could sign in with it at the new one.',
  'predecessor.case':
    '"predecessor": the new domain ignores case in user names, so the old one must do so too ("policy.usernames": "case-insensitive").',
  'successor.open':
    '"{{successor}}" takes over the users: the old domain must demand tickets ("policy.registration": "ticket") or application keys ("policy.callers": "keys"), because anyone who registers a name there could sign in with it at the new one.',
  'successor.case':
    '"{{successor}}" takes over the users and ignores case in user names, so the old domain must do so too ("policy.usernames": "case-insensitive").',
  'policy.notObject': '"policy" must be an object.',
  'policy.unknownMember': '"{{place}}" has no member "{{member}}", only these: {{names}}.',
  'policy.oneOf': '"policy.{{rule}}" must be one of {{words}}.',
  'policy.certificates':
    '"policy.{{rule}}" must be an array of at most {{most}} certificates in PEM.',
  'policy.origins': '"policy.{{rule}}" must be an array of at most {{most}} origins.',
  'policy.audiences':
    '"policy.{{rule}}" must be an array of at most {{most}} names of 1 to 255 visible characters.',
  'policy.ruleOneOf':
    '"policy.{{rule}}" must be one of {{words}}, alone or as {"mode": "off", "report" or "enforce", "value": …}.',
  'policy.ruleSomeOf':
    '"policy.{{rule}}" must be an array of 1 to {{most}} of {{words}}, alone or as {"mode": "off", "report" or "enforce", "list": …}.',
  'policy.ruleAaguids':
    '"policy.{{rule}}" must be an array of 1 to {{most}} AAGUIDs written as hyphenated UUIDs, alone or as {"mode": "off", "report" or "enforce", "list": …}.',
  'policy.ruleAlgorithms':
    '"policy.{{rule}}" must be an array of 1 to {{most}} algorithm names such as es256, alone or as {"mode": "off", "report" or "enforce", "list": …}.',
  'policy.ruleNumber':
    '"policy.{{rule}}" must be a whole number from {{min}} to {{max}}, alone or as {"mode": "off", "report" or "enforce", "value": …}.',
  'policy.ruleStatus':
    '"policy.{{rule}}" must be an object of metadata statuses, each with accept, warn or refuse, and optionally "mode".',
  'policy.pretendMoving':
    '"policy.unknownUsers" cannot be "pretend" during a move: if the new domain offers a user keys of the old one, the user is known there.',
  'policy.pretendOpen':
    '"policy.unknownUsers" can be "pretend" only together with "registration": "ticket" or "callers": "keys": otherwise the begin call of a registration reveals known names.',
  'policy.namesCollide':
    '"policy.usernames": {{names}} would be one user. Rename or delete all but one of each first.',
  'policy.manyNamesCollide':
    '"policy.usernames": {{names}} would be one user, and so would others. Rename or delete all but one of each first.',
  'policy.hiddenNamesCollide':
    '"policy.usernames": several users would be one user. Rename or delete all but one of each first.',
  'policy.profiles':
    '"policy.{{rule}}" must be an array of at most {{most}} profiles {"name", "group", "rules"}, whose names differ; names and groups have 1 to 255 bytes.',
  'policy.beingTried': 'A trial of a policy is running here. Wait until it has ended.',
  'target.past': 'The day of a target must be today or later.',
  'preset.unknown': 'There is no such preset.',
  'applicationKey.unknown': 'There is no such application key.',
  'applicationKey.past': '"{{field}}" must be in the future.',
  'oidc.noClient': 'There is no such client.',
  'oidc.tooManyClients': 'A relying party has at most {{most}} clients.',
  'oidc.tooManyKeys':
    'The issuers of this relying party have {{most}} keys of an algorithm. The oldest one leaves some thirteen hours after its replacement: rotate the keys again then. If they were stolen, revoke them.',
  'oidc.originNotAllowed':
    'Users of applications sign in on the page of this server, {{origin}}: allow this origin at {{domain}}.',
  'oidc.onlyKeys':
    'Users of applications sign in on the page of this server, {{origin}}, which has no application key: "policy.callers" of {{domain}} must be "any".',
  'oidc.noSecret': 'This client has no secret.',
  'oidc.notOfKind': 'A client of the kind {{type}} has no "{{field}}".',
  'oidc.kindOff': 'This server has no clients of this kind: start it with --{{option}} on.',
  'entra.redirectUri':
    'This is none of the addresses to which users return to Microsoft Entra ID. The sign-in cannot go on.',
  'entra.request':
    'The request of Microsoft Entra ID cannot be answered: its "{{field}}" is missing, or asks for what this server does not have.',
  'entra.hint':
    'The hint about the user is forged, too old, or for another tenant or application of Microsoft Entra ID.',
  'entra.away':
    'The keys of Microsoft Entra ID cannot be read at the moment. Try again in a minute.',

  // Metadata and whitelist
  'discovery.off': 'There is no discovery document: start the server with --issuer.',
  'whitelist.off': 'The whitelist is off: start the server with --aaguid on.',
  'whitelist.notOn': 'This AAGUID is not on the whitelist.',
  'whitelist.takenOff': 'The model was removed from the whitelist in the meantime.',
  'metadata.off':
    'FIDO metadata is off: start the server with --mds and a file, a URL or "upload".',
  'metadata.tooLarge': 'The BLOB is larger than 32 MiB.',
  'metadata.contentType': 'Send the BLOB as {{types}}.',
  'metadata.nameSource': 'Name the source in "source": one of {{labels}}.',
  'metadata.noJws': 'This is not a metadata BLOB: a signed JWT is expected.',
  'metadata.algorithm': 'The metadata is signed with an algorithm that is not accepted.',
  'metadata.certificates': 'The certificates of the metadata are missing or malformed.',
  'metadata.signature': 'The signature of the metadata does not verify.',
  'metadata.noRoot': 'The certificates of the metadata lead to no trusted root.',
  'metadata.signerTime':
    'A certificate of the signer of the metadata is expired or not valid yet, or was not valid when the BLOB was made.',
  'metadata.revoked': 'An authority has revoked a certificate of the signer of the metadata.',
  'metadata.payload':
    'The metadata is not in the form of FIDO Metadata Service version 3: {{member}}.',
  'metadata.notNewer':
    'BLOB number {{no}} of {{day}} is not newer than the stored number {{here}}.',
  'metadata.overtaken': 'Another instance has stored a BLOB of this source in the meantime.',

  // Invoices
  'invoice.clock':
    'The clocks of this server and of the database differ by more than a minute: nothing is stored until they agree.',
  'invoice.unknown': 'There is no invoice with this number.',
  'invoice.future': 'The parameter "date" must not be in the future.',
  'invoice.notInvoice': 'Only an invoice can be cancelled.',
  'invoice.several':
    'This invoice is from an earlier version and covers several tenants, so it cannot be cancelled.',
  'invoice.lastDocument':
    'A backup was restored, so nothing can be stored yet. Run "./servicefido document last NUMBER" with the number of the last document that was sent out.',
  'invoice.lost':
    'The restored backup lacks these documents: {{numbers}}. First enter or cancel each of them (./servicefido document).',
  'invoice.buyerIncomplete':
    'Nothing was stored: the billing file lacks data for the electronic invoice for "{{tenant}}": {{missing}}.',
  'invoice.notElectronic': 'This document has no electronic form.',
  'document.noRestore': 'No restored backup needs the number of the last document.',
  'document.unnamed':
    'Also name the last number of the series "{{series}}", separated by a comma; use 0 if none was sent out.',
  'document.kept': 'The last document cannot be before {{number}}, which the backup contains.',
  'document.number':
    'Name the last documents by numbers such as 12 or R1-12, separated by commas; use 0 if none was sent out.',
  'document.notLost': 'No document with this number is lost.',
  'document.stored': 'This document, or another one of its month, is already stored.',
  'document.form':
    'The file must be an invoice or credit note of an existing tenant, as returned by GET /userapi/invoices/NUMBER.',

  // Webhooks
  'webhook.unknown': 'There is no such webhook.',
  'webhook.tooMany': 'A tenant has at most {{most}} webhooks.',
  'webhook.notPublic':
    '"url" must be an https:// address of a public host. For others, the operator sets --webhook-private.',
  'webhook.beingTested': 'A test of this webhook is under way.',

  // The console: signing in, accounts, forms
  'console.off':
    'The console has no sign-in page here: the server was started with --console basic or --auth off.',
  'console.signIn': 'Sign in first.',
  'console.signInAgain':
    'This form can let others in, so it needs a sign-in within the last quarter of an hour. Sign in again: nothing was changed.',
  'console.wrongPassword': 'The name or the password is wrong.',
  'console.wrongKey': 'This key cannot sign in here.',
  'console.passwordFirst': 'This account requires its password first, and then the key.',
  'console.keyNeeded': 'This account also requires a key.',
  'console.otherKeyNeeded':
    'This key cannot sign in alone yet: also use a verified key of the account.',
  'console.onlyAtProvider':
    'Local accounts cannot sign in to this console, except those for emergencies. Sign in at the provider.',
  'console.oidc.away':
    'The provider does not answer, so you cannot sign in there now. Try again in a few minutes. Local accounts can sign in.',
  'console.oidc.refused':
    'The provider has refused the sign-in. Try again; if it is refused again, ask its administrators.',
  'console.oidc.wrong':
    'The answer of the provider was not valid, so you are not signed in. The log of the server says why.',
  'console.oidc.startAgain':
    'This sign-in has expired, was used before, or began in another browser. Start it again.',
  'console.oidc.noGroup':
    'You have signed in at the provider, but none of your groups may open this console. Ask an administrator for a group.',
  'console.oidc.noSecondFactor':
    'This console requires a second factor for your group, and the provider has reported none. Sign in there with a second factor.',
  'console.oidc.tooOld':
    'The provider did not ask you to sign in again, or does not say when you did. Try again; if this message comes back, ask an administrator.',
  'console.oidc.logoutToken': 'The logout token is not valid.',
  'console.needsHostName':
    'This account requires a key: open this server by its host name, not by an IP address.',
  'console.wrongTooOftenMinute': 'Too many failed attempts. Try again in 1 minute.',
  'console.wrongTooOften': 'Too many failed attempts. Try again in {{minutes}} minutes.',
  'session.unknown': 'There is no such session: it has ended.',
  'account.unknown': 'There is no such account.',
  'account.beyondRights':
    'You can give an account only permissions that you have: tick at least one of your tenants, and no other.',
  'account.unknownTenant': 'There is no tenant "{{tenant}}".',
  'account.taken': 'There is already an account with this name.',
  'account.configured':
    'This account is defined in the configuration of the server (--admin-user, --accounts): change it there.',
  'account.shadowed':
    'An account with this name was created on the page "Accounts". Remove it there first.',
  'account.own': 'Another administrator must change your account.',
  'account.wrongPassword': 'That is not your current password.',
  'account.passwordBlank': 'The new password may not begin or end with a space.',
  'account.passwordsDiffer': 'The two entries of the new password differ.',
  'account.typeToRemove': 'Type {{name}} to confirm. Nothing was removed.',
  'account.linkOver':
    'This link is no longer valid: it was used, was replaced or has expired. Ask an administrator for a new one.',
  'account.keyDemanded':
    'An administrator requires a second factor for this account: the password alone is not enough.',
  'account.ofProvider':
    'This account signs in at the OpenID provider. Its role comes from its groups there, and it has no password here.',
  'account.noPassword':
    'This account has no password and signs in only with its keys. To choose a password, ask an administrator to reset the account.',
  'account.first.password':
    'Sign in on the page first, and choose a password of your own: an administrator knows the current one.',
  'account.first.key':
    'Sign in on the page first, and add a key: this account must have a second factor.',
  'accountKey.unknown': 'There is no such key.',
  'accountKey.notAdded': 'The key was not added: the browser sent an invalid response. Try again.',
  'accountKey.tooMany': 'An account has at most {{most}} keys.',
  'accountKey.last':
    'This is the last key with which this account can sign in. First choose to sign in with the password.',
  'accountKey.addFirst': 'Add a key first.',
  'accountKey.addVerifiedFirst':
    'First add a key that asks for a PIN, a fingerprint or a face, or use such a key together with the password once.',
  'accountKey.noneSent': 'The browser sent no key. Try again.',
  'form.role': 'Choose a role.',
  'form.start': 'Choose a setup link or a first password.',
  'form.tenantNames': 'Enter the short names of tenants, each once.',
  'form.accountName':
    'Enter a name without a colon and without white space at either end. Names such as user and system are reserved.',
  'form.presentPassword': 'Enter your current password.',
  'form.password': 'Enter 12 to 256 characters.',
  'form.onceMore': 'Repeat the new password.',
  'form.keyName': 'Enter a name of 1 to {{most}} characters.',
  'form.noKey': 'The browser sent no key.',
  'form.signInRule': 'Choose how you sign in.',
  'form.typeToDelete': 'Type {{name}} to confirm. Nothing was deleted.',
  'form.choose': 'Choose one of the values.',
  'form.chooseMode': 'Choose a mode too, or empty the values.',
  'form.tick': 'Tick at least one.',
  'form.tickModels': 'Tick the models, then save.',
  'form.aaguids':
    'Find the models by name below, or enter 1 to 500 AAGUIDs such as ee882879-721c-4913-9775-3dfcce97072a, one per line.',
  'form.statuses': 'Enter a metadata status and accept, warn or refuse on each line.',
  'form.wholeNumber': 'Enter a whole number from {{min}} to {{max}}.',
  'form.audiences':
    'Enter names or addresses without spaces, such as https://api.example.com, one per line.',
  'form.topOrigins': 'Enter origins such as https://portal.example.com, one per line.',
  'form.anchors': 'Paste at most 20 certificates in PEM, and nothing else.',
  'form.relatedOrigins':
    'Enter origins such as https://www.example.org, one per line, without wildcards.',
  'form.androidApps':
    'Enter a package and its SHA-256 fingerprints on each line: com.example.app AB:CD:…',
  'form.appleApps': 'Enter a team ID and a bundle ID on each line: TEAMID1234.com.example.app',
  'form.httpsAddress': 'Enter an address that begins with https://.',
  'form.enrolmentUrl': 'Enter an address that begins with https:// and has no #.',
  'form.colour': 'Enter a colour such as #1f6feb.',
  'form.predecessor': 'Enter the domain of another relying party of this tenant.',

  // The server itself
  'feature.off': 'This feature is switched off.',
  'server.internal': 'An internal error occurred.',
  'server.storageFull': 'The storage is full.',
  'server.unavailable': 'The service is not available at the moment. Try again.',
  'server.outcomeUnknown':
    'The database stopped responding during this change, so it may or may not be stored. Check the current state before you send the change again.',
  'server.notReady': 'This instance is not ready.',
  'database.unavailable': 'The database does not answer.',
  'audit.stopped': 'This instance cannot write to the audit trail. Its log says why.',
  'audit.notSealed':
    'The audit trail is not sealed with the key of --audit-key-file, so nothing can be changed. If nobody removed a seal, run "./servicefido audit seal" once.',
  'audit.altered':
    'Row {{row}} of the audit trail was altered, so no row was erased. Run "./servicefido audit verify".',
  'signingKey.unknown': 'There is no signing key with this kid.',
} as const;
