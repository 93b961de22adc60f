/**
 * The English sentence of each reason of a refusal: the `errorMessage` of answers, and the text of English pages. A
 * reason is never renamed and never changes its meaning (docs/errors.md). `{{name}}` is a value that the refusing
 * code must pass.
 */
export const ENGLISH = {
  // Bodies, headers and parameters of any call
  'request.body': 'The request body must be a JSON object with the fields that this call needs.',
  'request.notUtf8': 'The request body is not valid UTF-8.',
  'request.tooLarge': 'The request body is too large.',
  'request.tooDeep': 'The body is nested too deeply.',
  'request.contentType': 'The content type must be application/json in UTF-8.',
  'request.notForm': 'Send the fields as a form.',
  'request.notMultipart': 'The content type must be multipart/form-data.',
  'request.parametersInBody': 'With POST the parameters must be in the body.',
  'request.headers': 'A request can have at most {{most}} headers.',
  'request.httpVersion': 'Requests must be HTTP/1.1.',
  'request.hosts': 'A request must have one "Host" header.',
  'request.tooMany': 'Too many requests. Try again later.',
  'parameters.wrong': 'A parameter is missing or wrong.',
  'parameters.nested': '"{{name}}" is not a parameter: each parameter is one text.',
  'parameters.notUtf8': 'The parameters must be UTF-8.',
  'parameters.tooMany': 'The parameters are nested too deeply, or there are too many.',
  'path.unknown': 'There is no such path.',
  'path.method': 'This path does not answer to {{method}}.',
  'operation.unknown': 'The API has no operation "{{id}}".',
  'idempotencyKey.malformed':
    '"Idempotency-Key" must be 1 to 64 visible ASCII characters, sent once.',
  'idempotencyKey.reused': 'This "Idempotency-Key" was sent with another body.',
  'idempotencyKey.underWay': 'The same call is under way and has not ended.',
  'clientAddress.malformed': 'The address of the client must be an IPv4 or IPv6 address.',

  // Fields, by rules that many calls share
  'field.text': '"{{field}}" must be a string.',
  'field.flag': '"{{field}}" must be true or false.',
  'field.object': '"{{field}}" must be an object.',
  'field.oneOf': '"{{field}}" must be one of {{words}}.',
  'field.someOf': '"{{field}}" must be an array of some of {{words}}.',
  'field.wholeNumber': '"{{field}}" must be a whole number from {{min}} to {{max}}.',
  'field.wholeNumberUpTo': '"{{field}}" must be a whole number up to {{max}}.',
  'field.once': '"{{field}}" must be given once, as a text.',
  'field.texts': '"{{field}}" must be texts that are not empty.',
  'field.maxCharacters': '"{{field}}" must be a text of at most {{most}} characters.',
  'field.search': '"{{field}}" must be one text of at most {{most}} characters.',
  'field.maxBytes': '"{{field}}" must be one text of at most {{most}} bytes.',
  'field.utf8': '"{{field}}" must be a string of 1 to {{most}} bytes of UTF-8.',
  'field.name':
    '"{{field}}" must be a string of 1 to {{most}} bytes of UTF-8, without control, invisible or direction characters and without white space at either end.',
  'field.displayName':
    '"{{field}}" must be a string of 1 to {{most}} bytes of UTF-8, without control, invisible or direction characters but joiners and variation selectors.',
  'field.visibleName':
    '"{{field}}" must be a string of 1 to {{most}} characters, none of them invisible.',
  'field.date': '"{{field}}" must be a date such as 2026-01-31 or 2026-01-31T09:00:00Z.',
  'field.day': '"{{field}}" must be a calendar day as YYYY-MM-DD.',
  'field.oneDay': '"{{field}}" must be one day, written YYYY-MM-DD.',
  'field.oneMonth': '"{{field}}" must be one month, written YYYY-MM.',
  'field.moment': '"{{field}}" must be a date and a time (UTC).',
  'field.time': '"{{field}}" must be a time in ISO 8601, or milliseconds since 1970.',
  'field.aaguid': '"{{field}}" must be an AAGUID written as a hyphenated UUID.',
  'field.position': '"{{field}}" must be the "next" of an answer.',
  'field.requestId': '"{{field}}" must be the request ID of an answer.',
  'field.domain':
    '"{{field}}" must be a domain name such as login.example.com, in lower case (of other letters as xn--…), not an IP address.',
  'field.domains': '"{{field}}" must be an array of 1 to {{most}} domains.',
  'field.tenantName': '"{{field}}" must be 1 to 64 characters of a–z, 0–9 and hyphen.',
  'field.tenantNames': '"{{field}}" must name 1 to {{most}} tenants, each once.',
  'field.accountName': '"{{field}}" must be a name without a colon.',
  'field.password': '"{{field}}" must have {{min}} to {{max}} characters.',
  'field.origins':
    '"{{field}}" must be an array of up to {{most}} origins such as https://www.example.com, https://*.example.com or http://localhost:*.',
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
  'field.userNames': '"{{field}}" must be an array of texts.',
  'field.storedNumber': '"{{field}}" must be a number such as 12, or S-12 of a statement.',
  'field.algorithms':
    '"{{field}}" must be an array of 1 to {{most}} known algorithms such as es256.',
  'field.extensions':
    '"{{field}}" must be an object of at most 2 KiB with inputs of the right form.',
  'field.appId': '"{{field}}.{{name}}" is not supported: no relying party here has a U2F AppID.',
  'field.hints': '"{{field}}" must be an array of {{words}}.',
  'field.transaction':
    '"{{field}}" must be {"text": …} of 1 to {{most}} bytes of UTF-8, or {"hash": …}, a SHA-256 in Base64URL.',

  // The four calls: format
  'type.missing': 'The field "type" is missing.',
  'type.notText': 'The field "type" must be a string.',
  'type.notPublicKey': 'The field "type" must be "public-key".',
  'id.missing': 'The field "id" is missing or is not a string.',
  'id.malformed': 'The fields "id" and "rawId" must hold the same credential ID in Base64URL.',
  'registration.malformed': 'The registration response is not in the expected format.',
  'authentication.malformed': 'The authentication response is not in the expected format.',
  'response.notObject': 'The field "response" must be an object.',
  'clientData.malformed':
    'The client data is missing, is not Base64URL or is not the expected JSON.',
  'clientData.missing': 'The client data is missing.',
  'clientData.notJson': 'The client data is not Base64URL or is not the expected JSON.',
  'clientData.tokenBinding': 'The client data holds a token binding, which is not supported.',
  'clientData.ceremony': 'The client data is of another ceremony.',
  'authenticatorData.missing': 'The authenticator data is missing.',
  'authenticatorData.malformed': 'The authenticator data is not Base64URL or is malformed.',
  'authenticatorData.cut':
    'The authenticator data or the attestation object is shorter than it says.',
  'authenticatorData.leftOver':
    'Bytes are left over after the authenticator data or the attestation object.',
  'aaguid.cut': 'The attested credential data ends inside its AAGUID.',
  'signature.malformed': 'The signature is missing or is not Base64URL.',
  'keypair.malformed': 'The field "keypair" must be a JSON object of at most 4 KiB and 8 levels.',
  'userHandle.missing': 'A sign-in without a name needs the user handle of its key.',
  'userHandle.otherUser': 'The user handle is not that of this user.',

  // The four calls: ceremony, relying party, credential
  'session.over': 'The session has expired or was used already. Begin again.',
  'session.cookieMissing': 'The session cookie of the begin call was not sent back.',
  'session.ceremonyMissing':
    'The field "ceremony" of the begin call\'s answer is missing or malformed.',
  'session.expired': 'The session has expired. Begin again.',
  'session.used':
    'This ceremony was used already, or newer ones of the session took its place. Begin again.',
  'challenge.mismatch': 'The challenge is not the one that was issued.',
  'origin.notAllowed': 'The origin {{origin}} is not allowed for this relying party.',
  'origin.embedded': 'The page that embeds this ceremony is not allowed to.',
  'rpId.mismatch': 'The authenticator answered for another relying party ID.',
  'flags.wrong': 'The authenticator data flags are not acceptable.',
  'user.notPresent': 'The authenticator did not report that a user was present.',
  'user.notVerified': 'The authenticator did not verify the user, which is required.',
  'user.noUsableKey': 'No key of this user can sign in here.',
  'signature.wrong': 'The signature does not verify.',
  'credential.unknown': 'This user has no such credential at this relying party.',
  'credential.disabled': 'This credential is disabled.',
  'credential.counter':
    'The signature counter did not increase: the authenticator may have been cloned.',
  'credential.overtaken':
    'Another sign-in with this key came first, while the database was away. Sign in again.',
  'credential.registered': 'This credential is registered already.',
  'credential.unproved': 'The attestation of this key is no longer trusted.',
  'credential.wrongAcr': 'This key does not give the "acr" that was asked for.',
  'credential.notProtected':
    'The authenticator did not apply the credential protection that was asked for.',
  'publicKey.unacceptable': 'The public key or its algorithm is not acceptable.',
  'algorithms.noneAllowed': 'None of these algorithms is allowed for this relying party.',
  'relyingParty.unknown': 'There is no such relying party.',
  'relyingParty.noDomain': 'There is no relying party {{domain}}.',
  'relyingParty.header':
    'The header X-ServiceFido-RelyingParty must hold one domain name or one URL.',
  'relyingParty.needed': 'Name one relying party in the header {{header}}.',
  'relyingParty.keysOnly': 'This relying party can be called only with application keys.',
  'audience.notListed': '"audience" must be one of the relying party\'s "audiences".',
  'token.off': 'Tokens are switched off: there is none to say this.',
  'userId.needsName': '"userId" says who the "username" is, which this call leaves out.',
  'userId.needsKey': '"userId" is for an application, which brings its key.',
  'userId.conflict': 'This user has another "userId", or another user has this one.',

  // Who may register
  'registration.noPrompt': 'User verification is required, and it needs a prompt.',
  'secondFactor.needsKey': '"secondFactor" is for an application, which brings its key.',
  'secondFactor.needsName': '"secondFactor" needs a "username": it counts for one user.',
  'ticket.needsName': 'A "ticket" needs a "username": it is the invitation of one user.',
  'registration.needsApplication':
    'A registration without a prompt needs an application key here, and no "ticket".',
  'registration.needsProof':
    "Without a prompt the caller must prove who the user is: send the token of the user's sign-in with user verification within five minutes, or call with an application key.",
  'registration.needsTicket': 'A registration needs a valid "ticket" here.',
  'registration.needsToken':
    'This user exists: to add a key, sign in with user verification and send the token within five minutes, or bring a "ticket".',
  'registration.ticketUsed': 'The "ticket" has registered another credential meanwhile.',
  'registration.permitGone':
    "The user's credentials have changed since the begin call: sign in and begin again.",
  'registration.secondOpinion': 'A second verifier refuses this registration.',
  'registration.tooManyKeys': 'A user cannot have more credentials: the limit is {{most}}.',

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
    'The metadata service knows this authenticator model, and the attestation is not as its entry says: it leads to none of its roots.',
  'trust.certificateRevoked':
    'A certificate of the attestation is revoked by the authority that issued it.',
  'trust.phoneRevoked': 'The key by which this phone attests is revoked.',
  'trust.status': 'The metadata service says of this authenticator model: {{status}}.',
  'model.jobRunning': 'The keys of this model are being changed already.',
  'model.noKeys': 'There is no key of this model.',
  'model.noJob': 'There is no such job for this model.',
  'model.notListed': 'This authenticator model is not on the whitelist.',
  'model.listedUnproved':
    "This authenticator model is on the whitelist, but nothing proves that the key is of it: its attestation leads to no trust anchor of the model, of metadata or of the relying party's.",
  'model.nothingProves':
    'No metadata and no anchor is configured that proves a model of the whitelist.',
  'model.blocked': 'This authenticator model is blocked.',
  'model.notAllowed': 'This authenticator model is not among the allowed ones.',
  'model.certification':
    'This authenticator model is not known to be certified at the level required.',
  'model.certificationProfile':
    'This authenticator model is not known to be certified for what is required.',
  'model.fips': 'This authenticator model is not known to have the FIPS 140 level required.',
  'model.fipsRevision':
    'This authenticator model is not known to have a FIPS 140 certificate of the revision required.',
  'model.fipsPhysical':
    'This authenticator model is not known to be as secure physically as is required.',
  'rule.broken': 'The key does not satisfy the rule "{{rule}}" of the policy.',
  'rule.notDiscoverable': 'The authenticator did not keep the credential as a discoverable one.',
  'rule.backupEligible': 'Keys that can be synced or backed up are not allowed.',
  'rule.algorithm': 'The algorithm of this key is not allowed.',
  'rule.format': 'The format of the attestation is not allowed.',
  'rule.attestationType': 'This type of attestation is not allowed.',
  'rule.maxCredentials': 'This user has as many credentials as are allowed.',

  // Who may call
  'authentication.needed': 'Authentication is needed.',
  'authentication.token': 'Sign in, and send the token as "Authorization: Bearer".',
  'token.expired':
    'The token was valid until {{until}}, and this server has {{now}}. Sign in again.',
  'token.early':
    'The token is valid from {{from}} on, and this server has {{now}}: a clock is wrong.',
  'authentication.metrics': 'The metrics of this server need the key of --metrics-key.',
  'permission.denied': 'This is not permitted.',
  'permission.role': 'The role "{{role}}" may not do this.',
  'permission.limitedAccount': 'An account that is limited to tenants may not do this.',
  'permission.loopbackOnly':
    'With --auth off this is served only to the machine itself: call it as localhost or 127.0.0.1.',
  'applicationKey.invalid': 'The application key is unknown, expired or revoked.',
  'applicationKey.wholeTenant':
    'This application key may not do this: it concerns a whole tenant, and this key is limited to relying parties.',
  'applicationKey.closed': 'No application key reaches this.',
  'applicationKey.needsScope': 'The application key needs the scope "{{scope}}".',
  'applicationKey.notCovered': 'The application key does not cover this relying party.',
  'applicationKey.policyMember': 'An application key may not change "policy.{{rule}}".',
  'crossSite.foreign':
    'A page of another site may not cause changes here: use the pages under /userapi, or send the same parameters by POST as JSON.',
  'crossSite.origin':
    'A page of another site may not cause changes here ("Origin" is not this host; a proxy in front must pass "Host" on): use the pages under /userapi, or send the same parameters by POST as JSON.',
  'crossSite.prefetch':
    'Fetching ahead may not cause changes: use the pages under /userapi, or send the same parameters by POST as JSON.',
  'crossSite.head':
    'HEAD never changes anything: use the pages under /userapi, or send the same parameters by POST as JSON.',
  'crossSite.browserGet':
    'A browser may not cause changes by GET, since another site may have led it here: use the pages under /userapi, or send the same parameters by POST as JSON.',
  'form.underWay':
    'This form was sent already, and its answer is not ready. Open the page again to see whether it took effect.',
  'form.noToken':
    'A browser must send a form with the token of its page, and this one has no valid token: load the page again.',

  // My keys
  'myKeys.nameNeeded': 'An application key must say whose keys it asks for: "username".',
  'myKeys.notByApplication':
    'Keys are changed with a token of their user, not with an application key.',
  'myKeys.stepUp':
    'To change keys, sign in with user verification and send the token within five minutes.',
  'myKeys.disabled': 'This key is disabled. Only the help desk can delete or enable it.',
  'myKeys.lastKey':
    'This is the last key that can sign in: without it the account is lost. "confirm=last" deletes it.',

  // Invitations
  'invitation.unknown': 'There is no such invitation.',
  'invitation.codeUnknown': 'No invitation has this code here.',
  'invitation.linkWrong':
    'No invitation has this code here: the link is cut off, or of another service.',
  'invitation.otherName': 'This invitation is for another user name.',
  'invitation.otherUser':
    'This invitation is not for the current user of this name. Ask for a new one.',
  'invitation.raced': 'This invitation has just made another key: begin again.',
  'invitation.needsToken':
    'This invitation has registered a key: for a further one, sign in with that key, with user verification, and send the token within five minutes.',
  'invitation.used':
    'This invitation has been used: its keys are registered. Sign in with one of them.',
  'invitation.expired': 'This invitation has expired. Ask for a new one.',
  'invitation.revoked': 'This invitation was withdrawn. Ask the sender.',
  'invitation.locked':
    'This invitation was followed with wrong names too often. Ask for a new one.',
  'invitation.wornOut': 'This invitation has begun too many registrations. Ask for a new one.',
  'invitation.needsTokens':
    'Tokens are switched off, and each key after the first needs one: "minKeys" can only be 1.',
  'invitation.noPage':
    'There is no page to invite to: set the relying party\'s "enrolmentUrl", or allow this server\'s own origin among its "origins".',

  // Users and their keys
  'user.unknown': 'There is no such user.',
  'user.unknownHere': 'There is no such user at this relying party.',
  'user.noMatch': 'No user or device matches.',
  'user.changing': 'Others change this user at the same time.',
  'user.nameTaken':
    'Another user of this relying party, or of the other domain of a move, has this name.',
  'user.nothingToChange': 'Name what is to change: "newUsername", "displayName" or both.',
  'user.nothingKept': 'Nothing is kept about this name.',
  'filter.needed': '"{{type}}" needs a "filter".',
  'filter.everybody': 'This filter matches everybody: it needs "confirm" with the value "all".',
  'filter.deviceNeeded': '"{{type}}" needs a "device".',
  'filter.noDevice': '"{{type}}" takes no "device".',
  'filter.noPage': '"{{type}}" takes neither "limit" nor "cursor": it changes all that match.',
  'bulk.unconfirmed': 'Type the number of users to confirm. Nothing was changed.',
  'cursor.wrong': '"cursor" must be the "next" of an answer.',
  'cursor.notOfPage': '"cursor" must be that of a page.',
  'cursor.after': '"after" must be the "next" of an answer, or 0.',
  'cursor.epoch':
    'A backup was restored, and what "after" follows is undone: go on with "next". It may repeat events.',
  'cursor.afterAlone': '"after" goes only with "limit", not with "{{name}}".',
  'receipt.unknown': 'There is no such receipt.',
  'nothing.matches': 'Nothing matches.',

  // Lists and other files
  'lists.tooManyReaders':
    'You are reading {{most}} whole lists already. Read them one after the other, or page by page with "limit".',
  'lists.tooManyUploads': 'You are sending {{most}} lists already. Wait until one has arrived.',
  'list.tooLong': 'A list has at most 1,000,000 names.',
  'list.empty': 'The list holds no user name.',
  'list.begun': 'The deletion of this list has begun: it takes no more names.',
  'list.gone': 'This list has expired: lists are kept for an hour. Upload it again.',
  'list.unknownUpload': '"uploadId" must be that of a list that you uploaded recently.',
  'list.usersOrUpload': 'Send a file, or "users", or an "uploadId".',
  'list.notNames': 'The file must be a list of names as text in UTF-8.',
  'list.lineTooLong': 'Line {{line}} is too long.',
  'file.missing': 'The upload holds no file.',
  'file.needed': 'A file is missing.',
  'file.neededIn': 'A file in the field "{{field}}" is missing.',
  'file.oneOnly': 'There must be one file, and no other.',
  'file.oneOnlyIn': 'There must be one file in the field "{{field}}", and no other.',
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
  'file.jsonOther': 'The file is not the JSON document that it should be.',
  'file.empty': 'The file is empty.',

  // Import
  'import.recordTooLong': 'A record has at most {{most}} bytes.',
  'import.recordNotUtf8': 'The record is not text in UTF-8.',
  'import.recordNotObject': 'The record is not a JSON object.',
  'import.recordType': '"type" must be "user".',
  'import.firstLine': 'The first line must say that it is version {{version}} of "{{format}}".',
  'import.otherRelyingParty':
    'The export is of another relying party: keys are bound to their RP ID and would be of no use here.',
  'import.cut': 'The last line is missing: the export was cut off.',
  'import.counts':
    'The last line counts other users or keys than the {{users}} users and {{keys}} keys before it: the file is not complete.',
  'import.afterEnd': 'This record stands after the last line of the export.',
  'import.underWay': 'Another import of this relying party has begun, or it was removed.',
  'import.contended': 'The users of this import are being changed by others: begin again.',
  'import.handleLength': 'The user handle must be 1 to {{most}} bytes.',
  'import.handleMissing': 'The user handle is missing.',
  'import.handles': 'A user has at most {{most}} user handles.',
  'import.handleTaken': 'Another user has this user handle.',
  'import.nameTaken': 'A user of this name is here already, with another user handle.',
  'import.userIdTaken': 'Another user has this "userId".',
  'import.credentialTaken': 'Another user has this credential.',
  'import.tooManyKeys': 'A user has at most {{most}} keys.',
  'import.credentialId': 'The credential ID is missing or cannot be decoded.',
  'import.credentialIdLength': 'A credential ID has at most {{most}} bytes.',
  'import.publicKey': 'The public key is missing or cannot be decoded.',
  'import.aaguid': 'The AAGUID must be a UUID.',
  'import.rpId': 'The key was registered for another RP ID.',
  'import.attestation': 'The attestation does not prove this key.',

  // Tenants, relying parties, policies
  'tenant.unknown': 'There is no such tenant.',
  'tenant.taken': 'There is a tenant "{{name}}" already.',
  'tenant.noRelyingParty': 'The tenant has no such relying party.',
  'tenant.noDomain': 'The tenant "{{tenant}}" has no relying party "{{domain}}".',
  'relyingParty.taken': 'The domain "{{domain}}" belongs to a relying party already.',
  'relyingParty.choose': 'There is no such relying party, or you have to choose one.',
  'relyingParty.changing': 'Others change this relying party at the same time.',
  'resource.changed': 'It has changed since you read it. Read it again, then change it.',
  'relyingParty.named': '"{{successor}}" takes the users of "{{domain}}" over: end that first.',
  'domain.notOwn':
    '"{{domain}}" is not at or below a domain of your tenants: an administrator of all tenants can add it.',
  'domain.taken':
    '"{{domain}}" is at, above or below what another tenant has: an administrator of all tenants can add it.',
  'origins.notEncrypted':
    'Not encrypted: {{origins}}. Browsers offer no keys on such pages, and anyone on the way can change them: write https://.',
  'relatedOrigins.tooMany':
    'Browsers need to support only {{most}} different names among the related origins: in the order of the list, these may be left out: {{beyond}}.',
  'enrolmentUrl.otherOrigin': '"enrolmentUrl" must be on one of the relying party\'s origins.',
  'wellKnown.nothing': 'Nothing is published as "{{name}}" for this domain.',
  'predecessor.otherTenant': '"predecessor" must be another relying party of the same tenant.',
  'predecessor.moving':
    '"predecessor": one move after the other. This one or that one is moving already.',
  'predecessor.taken':
    '"predecessor": another relying party takes over the users of "{{predecessor}}".',
  'predecessor.open':
    '"predecessor": the old domain must demand tickets ("policy.registration": "ticket") or application keys ("policy.callers": "keys"), because anyone who registers a name there could sign in with it at the new one.',
  'predecessor.case':
    '"predecessor": where case does not count in user names of the new domain, it must not in those of the old one ("policy.usernames": "case-insensitive").',
  'successor.open':
    '"{{successor}}" takes the users over: the old domain must demand tickets ("policy.registration": "ticket") or application keys ("policy.callers": "keys"), because anyone who registers a name there could sign in with it at the new one.',
  'successor.case':
    '"{{successor}}" takes the users over: where case does not count in user names of the new domain, it must not in those of the old one ("policy.usernames": "case-insensitive").',
  'policy.notObject': '"policy" must be an object.',
  'policy.unknownMember': 'A policy knows {{names}}.',
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
    '"policy.{{rule}}" must be a whole number from 1 to {{max}}, alone or as {"mode": "off", "report" or "enforce", "value": …}.',
  'policy.ruleStatus':
    '"policy.{{rule}}" must be an object of metadata statuses, each with accept, warn or refuse, and perhaps "mode".',
  'policy.pretendMoving':
    '"policy.unknownUsers" cannot be "pretend" where users move from one domain to another: a user to whom the new one offers keys of the old one is known there.',
  'policy.pretendOpen':
    '"policy.unknownUsers" can be "pretend" only together with "registration": "ticket" or "callers": "keys": otherwise the begin call of a registration reveals known names.',
  'policy.namesCollide':
    '"policy.usernames": {{names}} would be one user. Rename or delete all but one of each first.',
  'policy.manyNamesCollide':
    '"policy.usernames": {{names}} would be one user, and so would others. Rename or delete all but one of each first.',
  'policy.hiddenNamesCollide':
    '"policy.usernames": several users would be one user. Rename or delete all but one of each first.',
  'policy.beingTried': 'A policy is being tried here. Wait until that has ended.',
  'target.past': 'The day of a target must be today or later.',
  'preset.unknown': 'There is no such preset.',
  'applicationKey.unknown': 'There is no such application key.',
  'applicationKey.past': '"{{field}}" must lie in the future.',

  // Metadata and whitelist
  'whitelist.off': 'The whitelist is off: start the server with --aaguid on.',
  'whitelist.notOn': 'This AAGUID is not on the whitelist.',
  'whitelist.takenOff': 'The model was taken off the list meanwhile.',
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
  'metadata.revoked': 'An authority has revoked a certificate of the signer of the metadata.',
  'metadata.payload': 'The metadata is not in the form of FIDO Metadata Service version 3.',
  'metadata.notNewer': 'Number {{no}} of {{day}} is not newer than {{here}}, which is here.',
  'metadata.overtaken': 'Another instance has taken a BLOB of this source in the meantime.',

  // Invoices
  'invoice.clock':
    'The clocks of this server and of the database differ by more than a minute: nothing is stored until they agree.',
  'invoice.unknown': 'There is no invoice of this number.',
  'invoice.future': 'The parameter "date" lies in the future.',
  'invoice.notInvoice': 'Only an invoice can be cancelled.',
  'invoice.several': 'This invoice is from before each tenant had its own, and shows several.',
  'invoice.lastDocument':
    'A backup was restored: nothing is stored until the last document that was sent out is named (servicefido document last NUMBER).',
  'invoice.lost':
    'These documents are lost since a backup was restored: {{numbers}}. Enter each again or cancel it first (servicefido document).',
  'invoice.buyerIncomplete':
    'Nothing was stored: the electronic invoice for "{{tenant}}" lacks data of the billing file: {{missing}}.',
  'invoice.notElectronic': 'This document has no electronic form.',
  'document.noRestore': 'No restore waits for the number of the last document.',
  'document.unnamed':
    'Name the last number of the series "{{series}}" too, separated by a comma; 0 where none was sent out.',
  'document.kept': 'The backup has number {{number}}, which is greater.',
  'document.number':
    'The last documents are numbers such as 12 or R1-12, separated by commas; 0 where none was sent out.',
  'document.notLost': 'No document of this number is lost.',
  'document.stored': 'This document, or another one of its month, is stored already.',
  'document.form':
    'The file must be an invoice or credit note as GET /userapi/invoices/NUMBER answered it, of one tenant that exists.',

  // Webhooks
  'webhook.unknown': 'There is no such webhook.',
  'webhook.tooMany': 'A tenant has at most {{most}} webhooks.',
  'webhook.notPublic': '"url" must be an https:// address of a public host.',
  'webhook.beingTested': 'A test of this webhook is under way.',

  // The console: signing in, accounts, forms
  'console.off':
    'The console has no sign-in page here: the server was started with --console basic or --auth off.',
  'console.signIn': 'Sign in first.',
  'console.signInAgain': 'Sign in again first: nothing was changed.',
  'console.wrongPassword': 'The name or the password is wrong.',
  'console.wrongKey': 'This key cannot sign in here.',
  'console.passwordFirst': 'This account asks for its password first, and then for the key.',
  'console.keyNeeded': 'This account asks for a key too.',
  'console.otherKeyNeeded':
    'This key cannot sign in alone yet: use a verified key of the account, too.',
  'console.needsHostName':
    'This account asks for a key: open this server by its name, not by an IP address.',
  'console.wrongTooOftenMinute': 'That was wrong too often. Try again in 1 minute.',
  'console.wrongTooOften': 'That was wrong too often. Try again in {{minutes}} minutes.',
  'session.unknown': 'There is no such session: it has ended.',
  'account.unknown': 'There is no such account.',
  'account.beyondRights':
    'Accounts may only get rights that you have: tick at least one of your tenants, and no other.',
  'account.unknownTenant': 'There is no tenant “{{tenant}}”.',
  'account.taken': 'There is an account of this name.',
  'account.configured':
    'This account is defined in the configuration of the server (--admin-user, --accounts): change it there.',
  'account.shadowed':
    'An account of this name was created on the page: it must be removed there first.',
  'account.own': 'Another administrator must change your account.',
  'account.wrongPassword': 'That is not your current password.',
  'account.passwordBlank': 'The new password may not begin or end with a space.',
  'account.passwordsDiffer': 'The two entries of the new password differ.',
  'account.typeToRemove': 'Type {{name}} to confirm. Nothing was removed.',
  'account.linkOver':
    'This link is no longer valid: it was used or replaced, or its time is over. Ask an administrator for another one.',
  'account.keyDemanded':
    'An administrator demands a second factor: the password alone is not enough.',
  'account.noPassword':
    'This account has no password, and signs in by its keys alone. An administrator can reset it: its new link lets you choose a password.',
  'account.first.password':
    'Sign in on the page first, and choose a password of your own: an administrator knows the current one.',
  'account.first.key':
    'Sign in on the page first, and add a key: this account must have a second factor.',
  'accountKey.unknown': 'There is no such key.',
  'accountKey.notAdded': 'The key was not added: its answer is not right. Try again.',
  'accountKey.tooMany': 'An account has at most {{most}} keys.',
  'accountKey.last':
    'It is the last key of this account that can sign in: choose the password first.',
  'accountKey.addFirst': 'Add a key first.',
  'accountKey.addVerifiedFirst':
    'Add a key that asks for a PIN, a finger or a face first, or use such a key together with the password once.',
  'accountKey.noneSent': 'The browser sent no key. Try again.',
  'form.role': 'Choose a role.',
  'form.start': 'Choose a setup link or a first password.',
  'form.tenantNames': 'Enter the short names of tenants, each once.',
  'form.accountName': 'Enter a name without a colon and without white space at either end.',
  'form.presentPassword': 'Enter your current password.',
  'form.password': 'Enter 12 to 256 characters.',
  'form.onceMore': 'Enter it once more.',
  'form.keyName': 'Enter a name of 1 to {{most}} characters.',
  'form.noKey': 'The browser sent no key.',
  'form.signInRule': 'Choose how you sign in.',
  'form.typeToDelete': 'Type {{name}} to confirm. Nothing was deleted.',
  'form.choose': 'Choose one of the values.',
  'form.tick': 'Tick at least one.',
  'form.tickModels': 'Tick the models that you mean, then save.',
  'form.aaguids': 'Enter 1 to 500 AAGUIDs as hyphenated UUIDs, one a line.',
  'form.statuses': 'Enter a metadata status and accept, warn or refuse on each line.',
  'form.wholeNumber': 'Enter a whole number from 1 to 100.',
  'form.audiences':
    'Enter names or addresses without spaces, such as https://api.example.com, one a line.',
  'form.topOrigins': 'Enter origins such as https://portal.example.com, one a line.',
  'form.anchors': 'Paste at most 20 certificates in PEM, and nothing else.',
  'form.relatedOrigins':
    'Enter origins such as https://www.example.org, one a line, without wildcards.',
  'form.androidApps':
    'Enter a package and its SHA-256 fingerprints on each line: com.example.app AB:CD:…',
  'form.appleApps': 'Enter a team and a bundle on each line: TEAMID1234.com.example.app',
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
    'The database stopped answering while it stored this change, so it may be stored or not. Look at what you changed before you send it again.',
  'server.notReady': 'This instance is not ready.',
  'database.unavailable': 'The database does not answer.',
  'audit.stopped': 'The audit trail takes no rows of this instance. Its log says why.',
  'audit.altered':
    'Row {{row}} of the audit trail was altered, so no row was erased. Run "servicefido audit verify".',
  'signingKey.unknown': 'There is no signing key of this kid.',
} as const;
