import type { Reason } from '../reasons.js';

/** What each reason means, in German. */
export const GERMAN = {
  'request.body':
    'Der Inhalt der Anfrage muss ein JSON-Objekt mit den Feldern sein, die dieser Aufruf braucht.',
  'request.notUtf8': 'Der Inhalt der Anfrage ist kein gültiges UTF-8.',
  'request.tooLarge': 'Der Inhalt der Anfrage ist zu groß.',
  'request.tooDeep': 'Der Inhalt ist zu tief verschachtelt.',
  'request.contentType': 'Der Inhalt muss JSON in UTF-8 sein (application/json).',
  'request.notForm': 'Senden Sie die Felder als Formular.',
  'request.notMultipart': 'Der Inhalt muss multipart/form-data sein.',
  'request.parametersInBody': 'Bei POST stehen die Parameter im Inhalt der Anfrage.',
  'request.headers': 'Eine Anfrage darf höchstens {{most}} Header haben.',
  'request.httpVersion': 'Anfragen müssen HTTP/1.1 benutzen.',
  'request.hosts': 'Eine Anfrage muss genau einen Header „Host“ haben.',
  'request.tooMany': 'Zu viele Anfragen. Versuchen Sie es später noch einmal.',
  'parameters.wrong': 'Eine Angabe fehlt oder ist falsch.',
  'parameters.nested': '„{{name}}“ ist kein Parameter: Jeder Parameter ist ein einzelner Text.',
  'parameters.notUtf8': 'Die Parameter müssen UTF-8 sein.',
  'parameters.tooMany': 'Die Angaben sind zu tief verschachtelt oder zu viele.',
  'path.unknown': 'Diese Adresse gibt es nicht.',
  'path.method': 'Diese Adresse antwortet nicht auf {{method}}.',
  'operation.unknown': 'Die API hat keinen Aufruf „{{id}}“.',
  'idempotencyKey.malformed':
    '„Idempotency-Key“ muss aus 1 bis 64 sichtbaren ASCII-Zeichen bestehen und einmal gesendet werden.',
  'idempotencyKey.reused': 'Dieser „Idempotency-Key“ wurde schon mit anderem Inhalt gesendet.',
  'idempotencyKey.underWay': 'Derselbe Aufruf läuft noch.',
  'clientAddress.malformed': 'Die Adresse des Clients muss eine IPv4- oder IPv6-Adresse sein.',
  'field.text': '„{{field}}“ muss ein Text sein.',
  'field.flag': '„{{field}}“ muss true oder false sein.',
  'field.object': '„{{field}}“ muss ein Objekt sein.',
  'field.oneOf': '„{{field}}“ muss eines davon sein: {{words}}.',
  'field.someOf': '„{{field}}“ muss eine Liste aus einigen von diesen sein: {{words}}.',
  'field.wholeNumber': '„{{field}}“ muss eine ganze Zahl von {{min}} bis {{max}} sein.',
  'field.wholeNumberUpTo': '„{{field}}“ muss eine ganze Zahl bis {{max}} sein.',
  'field.once': '„{{field}}“ muss einmal als Text angegeben sein.',
  'field.texts': '„{{field}}“ muss aus Texten bestehen, die nicht leer sind.',
  'field.maxCharacters': '„{{field}}“ darf höchstens {{most}} Zeichen haben.',
  'field.search': '„{{field}}“ muss ein Text von höchstens {{most}} Zeichen sein.',
  'field.maxBytes': '„{{field}}“ muss ein Text von höchstens {{most}} Bytes sein.',
  'field.utf8': '„{{field}}“ muss ein Text von 1 bis {{most}} Bytes in UTF-8 sein.',
  'field.name':
    '„{{field}}“ muss ein Text von 1 bis {{most}} Bytes in UTF-8 sein, ohne Steuerzeichen, unsichtbare Zeichen und Richtungszeichen und ohne Leerraum am Anfang oder Ende.',
  'field.displayName':
    '„{{field}}“ muss ein Text von 1 bis {{most}} Bytes in UTF-8 sein, ohne Steuerzeichen, Richtungszeichen und unsichtbare Zeichen außer Verbindern und Variantenwählern.',
  'field.visibleName':
    '„{{field}}“ muss ein Text aus 1 bis {{most}} Zeichen sein, keines davon unsichtbar.',
  'field.date':
    '„{{field}}“ muss ein Tag sein wie 2026-01-31 oder ein Zeitpunkt wie 2026-01-31T09:00:00Z.',
  'field.day': '„{{field}}“ muss ein Kalendertag sein, geschrieben JJJJ-MM-TT.',
  'field.oneDay': '„{{field}}“ muss ein Kalendertag sein, geschrieben JJJJ-MM-TT.',
  'field.oneMonth': '„{{field}}“ muss ein Monat sein, geschrieben JJJJ-MM.',
  'field.moment': '„{{field}}“ muss ein Tag mit Uhrzeit sein (UTC).',
  'field.time': '„{{field}}“ muss eine Zeit nach ISO 8601 sein, oder Millisekunden seit 1970.',
  'field.aaguid': '„{{field}}“ muss eine AAGUID sein, geschrieben als UUID mit Bindestrichen.',
  'field.position': '„{{field}}“ muss das „next“ einer Antwort sein.',
  'field.requestId': '„{{field}}“ muss die Anfrage-ID einer Antwort sein.',
  'field.domain':
    '„{{field}}“ muss ein Domainname wie login.example.com sein, in Kleinbuchstaben (mit anderen Buchstaben als xn--…), keine IP-Adresse.',
  'field.domains': '„{{field}}“ muss eine Liste von 1 bis {{most}} Domains sein.',
  'field.tenantName': '„{{field}}“ muss aus 1 bis 64 Zeichen a–z, 0–9 und Bindestrich bestehen.',
  'field.tenantNames': '„{{field}}“ muss 1 bis {{most}} Mandanten nennen, jeden einmal.',
  'field.accountName': '„{{field}}“ muss ein Name ohne Doppelpunkt sein.',
  'field.password': '„{{field}}“ muss {{min}} bis {{max}} Zeichen haben.',
  'field.origins':
    '„{{field}}“ muss eine Liste von höchstens {{most}} Origins sein, etwa https://www.example.com, https://*.example.com oder http://localhost:*.',
  'field.relatedOrigins':
    '„{{field}}“ muss eine Liste von höchstens {{most}} Origins sein, etwa https://www.example.org, ohne Platzhalter.',
  'field.apps':
    '„{{field}}“ muss {"android": [{"package": "com.example.app", "fingerprints": ["AB:CD:…"]}], "apple": ["TEAMID1234.com.example.app"]} sein, je höchstens {{apps}} Apps und je App 1 bis {{fingerprints}} SHA-256-Fingerabdrücke.',
  'field.passkeyEndpoints':
    '„{{field}}“ muss {"enroll": …, "manage": …} sein, mit Adressen, die mit https:// beginnen.',
  'field.predecessor': '„{{field}}“ muss null sein oder die Domain einer anderen Relying Party.',
  'field.enrolmentUrl':
    '„{{field}}“ muss null sein oder eine Adresse von höchstens {{most}} Zeichen, die mit https:// beginnt und kein # enthält.',
  'field.colour': '„{{field}}“ muss null sein oder eine Farbe wie #1f6feb.',
  'field.webhookUrl':
    '„{{field}}“ muss eine Adresse mit https:// sein, mit höchstens {{most}} Zeichen, ohne Benutzername und Fragment.',
  'field.users': '„{{field}}“ darf höchstens {{most}} Benutzer nennen.',
  'field.userNames': '„{{field}}“ muss eine Liste von Texten sein.',
  'field.storedNumber':
    '„{{field}}“ muss eine Nummer wie 12 sein, oder S-12 bei einer Aufstellung.',
  'field.algorithms':
    '„{{field}}“ muss eine Liste von 1 bis {{most}} bekannten Algorithmen sein, etwa es256.',
  'field.extensions':
    '„{{field}}“ muss ein Objekt von höchstens 2 KiB sein, mit Eingaben der richtigen Form.',
  'field.appId':
    '„{{field}}.{{name}}“ wird nicht unterstützt: Keine Relying Party hat hier eine U2F-AppID.',
  'field.hints': '„{{field}}“ muss eine Liste aus {{words}} sein.',
  'field.transaction':
    '„{{field}}“ muss {"text": …} mit 1 bis {{most}} Bytes in UTF-8 sein oder {"hash": …}, ein SHA-256 in Base64URL.',
  'type.missing': 'Das Feld „type“ fehlt.',
  'type.notText': 'Das Feld „type“ muss ein Text sein.',
  'type.notPublicKey': 'Das Feld „type“ muss „public-key“ sein.',
  'id.missing': 'Das Feld „id“ fehlt oder ist kein Text.',
  'id.malformed':
    'Die Felder „id“ und „rawId“ müssen dieselbe Credential-ID in Base64URL enthalten.',
  'registration.malformed': 'Die Antwort der Registrierung hat nicht die erwartete Form.',
  'authentication.malformed': 'Die Antwort der Anmeldung hat nicht die erwartete Form.',
  'response.notObject': 'Das Feld „response“ muss ein Objekt sein.',
  'clientData.malformed':
    'Die Clientdaten fehlen, sind nicht Base64URL oder nicht das erwartete JSON.',
  'clientData.missing': 'Die Clientdaten fehlen.',
  'clientData.notJson': 'Die Clientdaten sind nicht Base64URL oder nicht das erwartete JSON.',
  'clientData.tokenBinding':
    'Die Clientdaten enthalten ein Token Binding, das nicht unterstützt wird.',
  'clientData.ceremony': 'Die Clientdaten gehören zu einem anderen Vorgang.',
  'authenticatorData.missing': 'Die Authenticator-Daten fehlen.',
  'authenticatorData.malformed': 'Die Authenticator-Daten sind nicht Base64URL oder fehlerhaft.',
  'authenticatorData.cut':
    'Die Authenticator-Daten oder das Attestation Object sind kürzer, als sie angeben.',
  'authenticatorData.leftOver':
    'Nach den Authenticator-Daten oder dem Attestation Object bleiben Bytes übrig.',
  'aaguid.cut': 'Die Daten des Schlüssels enden innerhalb der AAGUID.',
  'signature.malformed': 'Die Signatur fehlt oder ist nicht Base64URL.',
  'keypair.malformed':
    'Das Feld „keypair“ muss ein JSON-Objekt von höchstens 4 KiB und 8 Ebenen sein.',
  'userHandle.missing': 'Eine Anmeldung ohne Namen braucht den User Handle des Schlüssels.',
  'userHandle.otherUser': 'Der User Handle gehört nicht zu diesem Benutzer.',
  'session.over': 'Die Sitzung ist abgelaufen oder wurde schon benutzt. Beginnen Sie von vorn.',
  'session.cookieMissing': 'Das Sitzungs-Cookie des Beginnaufrufs kam nicht zurück.',
  'session.ceremonyMissing':
    'Das Feld „ceremony“ aus der Antwort des Beginnaufrufs fehlt oder ist fehlerhaft.',
  'session.expired': 'Die Sitzung ist abgelaufen. Beginnen Sie von vorn.',
  'session.used':
    'Dieser Vorgang wurde schon benutzt oder von neueren der Sitzung verdrängt. Beginnen Sie von vorn.',
  'challenge.mismatch': 'Die Challenge ist nicht die ausgegebene.',
  'origin.notAllowed': 'Der Origin {{origin}} ist für diese Relying Party nicht erlaubt.',
  'origin.embedded': 'Die Seite, die diesen Vorgang einbettet, darf das nicht.',
  'rpId.mismatch': 'Der Authenticator hat für eine andere RP-ID geantwortet.',
  'flags.wrong': 'Die Flags der Authenticator-Daten sind nicht annehmbar.',
  'user.notPresent': 'Der Authenticator hat nicht gemeldet, dass ein Benutzer anwesend war.',
  'user.notVerified': 'Der Authenticator hat den Benutzer nicht geprüft, was verlangt ist.',
  'user.noUsableKey': 'Kein Schlüssel dieses Benutzers kann sich hier anmelden.',
  'signature.wrong': 'Die Signatur stimmt nicht.',
  'credential.unknown': 'Dieser Benutzer hat bei dieser Relying Party keinen solchen Schlüssel.',
  'credential.disabled': 'Dieser Schlüssel ist gesperrt.',
  'credential.counter':
    'Der Signaturzähler ist nicht gestiegen: Der Authenticator könnte kopiert worden sein.',
  'credential.registered': 'Dieser Schlüssel ist schon registriert.',
  'credential.unproved': 'Der Attestierung dieses Schlüssels wird nicht mehr vertraut.',
  'credential.wrongAcr': 'Dieser Schlüssel erfüllt das verlangte „acr“ nicht.',
  'credential.notProtected':
    'Der Authenticator hat den verlangten Schutz des Schlüssels nicht angewendet.',
  'publicKey.unacceptable': 'Der öffentliche Schlüssel oder sein Algorithmus ist nicht annehmbar.',
  'algorithms.noneAllowed': 'Keiner dieser Algorithmen ist für diese Relying Party erlaubt.',
  'relyingParty.unknown': 'Diese Relying Party gibt es nicht.',
  'relyingParty.noDomain': 'Eine Relying Party {{domain}} gibt es nicht.',
  'relyingParty.header':
    'Der Header X-ServiceFido-RelyingParty muss einen Domainnamen oder eine URL enthalten.',
  'relyingParty.needed': 'Nennen Sie eine Relying Party im Header {{header}}.',
  'relyingParty.keysOnly': 'Diese Relying Party nimmt nur Aufrufe mit Anwendungsschlüssel an.',
  'audience.notListed': '„audience“ muss eine der „audiences“ der Relying Party sein.',
  'token.off': 'Tokens sind ausgeschaltet: Keines kann das bezeugen.',
  'userId.needsName': '„userId“ sagt, wer der „username“ ist, der in diesem Aufruf fehlt.',
  'userId.needsKey': '„userId“ ist nur für Anwendungen mit Anwendungsschlüssel.',
  'userId.conflict':
    'Dieser Benutzer hat eine andere „userId“, oder ein anderer Benutzer hat diese.',
  'secondFactor.needsKey': '„secondFactor“ ist für eine Anwendung, die ihren Schlüssel mitschickt.',
  'secondFactor.needsName': '„secondFactor“ braucht einen „username“: Es zählt für einen Benutzer.',
  'ticket.needsName':
    'Ein „ticket“ braucht einen „username“: Es ist die Einladung eines Benutzers.',
  'registration.noPrompt': 'Ohne Abfrage kann niemand geprüft werden, was hier verlangt ist.',
  'registration.needsApplication':
    'Eine Registrierung ohne Abfrage braucht hier einen Anwendungsschlüssel und kein „ticket“.',
  'registration.needsProof':
    'Ohne Abfrage muss der Aufrufer nachweisen, wer der Benutzer ist: Senden Sie das Token einer Anmeldung des Benutzers mit Benutzerprüfung innerhalb von fünf Minuten, oder rufen Sie mit einem Anwendungsschlüssel auf.',
  'registration.needsTicket': 'Eine Registrierung braucht hier ein gültiges „ticket“.',
  'registration.needsToken':
    'Diesen Benutzer gibt es schon: Um einen Schlüssel hinzuzufügen, melden Sie sich mit Benutzerprüfung an und senden Sie das Token innerhalb von fünf Minuten, oder bringen Sie ein „ticket“ mit.',
  'registration.ticketUsed': 'Das „ticket“ hat inzwischen einen anderen Schlüssel registriert.',
  'registration.permitGone':
    'Die Schlüssel des Benutzers haben sich seit dem Beginn geändert: Melden Sie sich an und beginnen Sie von vorn.',
  'registration.secondOpinion': 'Ein zweiter Prüfer lehnt diese Registrierung ab.',
  'registration.tooManyKeys':
    'Ein Benutzer kann nicht mehr Schlüssel haben: Die Grenze ist {{most}}.',
  'attestation.u2fAaguid':
    'Eine Attestierung im Format fido-u2f muss eine AAGUID aus Nullen haben.',
  'attestation.malformed':
    'Das Attestation Object oder seine Aussage ist fehlerhaft oder hat ein unbekanntes Format.',
  'attestation.unknownFormat': 'Das Format der Attestierung wird nicht unterstützt.',
  'attestation.algorithm':
    'Der Algorithmus der Attestierung ist falsch oder wird nicht unterstützt.',
  'attestation.signature': 'Die Signatur der Attestierung stimmt nicht.',
  'attestation.certificate': 'Das Zertifikat der Attestierung verletzt die Regeln seines Formats.',
  'attestation.path': 'Die Zertifikatskette der Attestierung stimmt nicht.',
  'attestation.foreign': 'Die Attestierung gehört nicht zu diesem Vorgang oder Schlüssel.',
  'trust.refused': 'Diesem Authenticator wird nicht vertraut.',
  'trust.required': 'Eine vertrauenswürdige Attestierung ist verlangt.',
  'trust.noAnchor': 'Die Zertifikate der Attestierung führen zu keinem Vertrauensanker.',
  'trust.disowned':
    'Der Metadatendienst kennt dieses Authenticator-Modell, und die Attestierung ist nicht so, wie sein Eintrag sagt: Sie führt zu keiner von dessen Wurzeln.',
  'trust.certificateRevoked':
    'Ein Zertifikat der Attestierung wurde von seiner Zertifizierungsstelle widerrufen.',
  'trust.phoneRevoked': 'Der Schlüssel, mit dem dieses Telefon attestiert, ist widerrufen.',
  'trust.status': 'Der Metadatendienst sagt von diesem Authenticator-Modell: {{status}}.',
  'model.jobRunning': 'Die Schlüssel dieses Modells werden bereits geändert.',
  'model.noKeys': 'Es gibt keinen Schlüssel dieses Modells.',
  'model.noJob': 'Für dieses Modell gibt es keinen solchen Auftrag.',
  'model.notListed': 'Dieses Authenticator-Modell steht nicht auf der Positivliste.',
  'model.listedUnproved':
    'Dieses Authenticator-Modell steht auf der Positivliste, aber nichts beweist, dass der Schlüssel von ihm ist: Die Attestierung führt zu keinem Vertrauensanker des Modells, der Metadaten oder der Relying Party.',
  'model.nothingProves':
    'Es sind weder Metadaten noch Anker eingerichtet, die ein Modell der Positivliste beweisen.',
  'model.blocked': 'Dieses Authenticator-Modell ist blockiert.',
  'model.notAllowed': 'Dieses Authenticator-Modell gehört nicht zu den erlaubten.',
  'model.certification':
    'Für dieses Authenticator-Modell ist die verlangte Zertifizierungsstufe nicht bekannt.',
  'model.certificationProfile':
    'Für dieses Authenticator-Modell ist die verlangte Art der Zertifizierung nicht bekannt.',
  'model.fips':
    'Für dieses Authenticator-Modell ist die verlangte Stufe von FIPS 140 nicht bekannt.',
  'model.fipsRevision':
    'Für dieses Authenticator-Modell ist kein Zertifikat nach der verlangten Fassung von FIPS 140 bekannt.',
  'model.fipsPhysical':
    'Für dieses Authenticator-Modell ist die verlangte physische Sicherheit nicht bekannt.',
  'rule.broken': 'Der Schlüssel erfüllt die Regel „{{rule}}“ der Richtlinie nicht.',
  'rule.notDiscoverable': 'Der Authenticator hat den Schlüssel nicht auffindbar gespeichert.',
  'rule.backupEligible':
    'Schlüssel, die sich synchronisieren oder sichern lassen, sind nicht erlaubt.',
  'rule.algorithm': 'Der Algorithmus dieses Schlüssels ist nicht erlaubt.',
  'rule.format': 'Das Format der Attestierung ist nicht erlaubt.',
  'rule.attestationType': 'Diese Art der Attestierung ist nicht erlaubt.',
  'rule.maxCredentials': 'Dieser Benutzer hat schon so viele Schlüssel, wie erlaubt sind.',
  'authentication.needed': 'Eine Anmeldung ist nötig.',
  'authentication.token':
    'Melden Sie sich an, und senden Sie das Token als „Authorization: Bearer“.',
  'token.expired':
    'Das Token galt bis {{until}}, und dieser Server hat {{now}}. Melden Sie sich neu an.',
  'token.early': 'Das Token gilt ab {{from}}, und dieser Server hat {{now}}: Eine Uhr geht falsch.',
  'authentication.metrics':
    'Die Metriken dieses Servers verlangen den Schlüssel von --metrics-key.',
  'permission.denied': 'Das ist nicht erlaubt.',
  'permission.role': 'Die Rolle „{{role}}“ darf das nicht.',
  'permission.limitedAccount': 'Ein Konto, das auf Mandanten beschränkt ist, darf das nicht.',
  'permission.loopbackOnly':
    'Mit --auth off antwortet dieser Server nur der eigenen Maschine: Rufen Sie ihn als localhost oder 127.0.0.1 auf.',
  'applicationKey.invalid': 'Der Anwendungsschlüssel ist unbekannt, abgelaufen oder widerrufen.',
  'applicationKey.wholeTenant':
    'Dieser Anwendungsschlüssel darf das nicht: Es betrifft einen ganzen Mandanten, und der Schlüssel ist auf Relying Partys beschränkt.',
  'applicationKey.closed': 'Mit einem Anwendungsschlüssel ist dies nicht erreichbar.',
  'applicationKey.needsScope': 'Der Anwendungsschlüssel braucht den Scope „{{scope}}“.',
  'applicationKey.notCovered': 'Der Anwendungsschlüssel gilt nicht für diese Relying Party.',
  'applicationKey.policyMember': 'Ein Anwendungsschlüssel darf „policy.{{rule}}“ nicht ändern.',
  'crossSite.foreign':
    'Eine Seite von anderswo darf hier nichts ändern: Benutzen Sie die Seiten unter /userapi, oder senden Sie dieselben Parameter per POST als JSON.',
  'crossSite.origin':
    'Eine Seite von anderswo darf hier nichts ändern („Origin“ ist nicht dieser Host; ein Proxy davor muss „Host“ weitergeben): Benutzen Sie die Seiten unter /userapi, oder senden Sie dieselben Parameter per POST als JSON.',
  'crossSite.prefetch':
    'Vorausladen darf nichts ändern: Benutzen Sie die Seiten unter /userapi, oder senden Sie dieselben Parameter per POST als JSON.',
  'crossSite.head':
    'HEAD ändert nie etwas: Benutzen Sie die Seiten unter /userapi, oder senden Sie dieselben Parameter per POST als JSON.',
  'crossSite.browserGet':
    'Ein Browser darf per GET nichts ändern, weil ihn eine andere Seite hierher geführt haben kann: Benutzen Sie die Seiten unter /userapi, oder senden Sie dieselben Parameter per POST als JSON.',
  'form.noToken':
    'Ein Browser muss ein Formular mit dem Token seiner Seite senden, und dieses hat keines, das (noch) gilt: Laden Sie die Seite neu.',
  'myKeys.nameNeeded':
    'Ein Anwendungsschlüssel muss sagen, um wessen Schlüssel es geht: „username“.',
  'myKeys.notByApplication':
    'Schlüssel werden mit einem Token ihres Benutzers geändert, nicht mit einem Anwendungsschlüssel.',
  'myKeys.stepUp':
    'Um Schlüssel zu ändern, melden Sie sich mit Benutzerprüfung an und senden Sie das Token innerhalb von fünf Minuten.',
  'myKeys.disabled':
    'Dieser Schlüssel ist gesperrt. Nur der Helpdesk kann ihn löschen oder entsperren.',
  'myKeys.lastKey':
    'Das ist der letzte Schlüssel, der sich anmelden kann: Ohne ihn ist das Konto verloren. „confirm=last“ löscht ihn.',
  'invitation.unknown': 'Diese Einladung gibt es nicht.',
  'invitation.codeUnknown': 'Hier hat keine Einladung diesen Code.',
  'invitation.linkWrong':
    'Hier hat keine Einladung diesen Code: Der Link ist abgeschnitten oder gehört zu einem anderen Dienst.',
  'invitation.otherName': 'Diese Einladung gilt für einen anderen Benutzernamen.',
  'invitation.raced':
    'Mit dieser Einladung wurde gerade ein anderer Schlüssel registriert: Beginnen Sie von vorn.',
  'invitation.needsToken':
    'Mit dieser Einladung wurde schon ein Schlüssel registriert: Für einen weiteren melden Sie sich mit diesem Schlüssel und mit Benutzerprüfung an, und senden Sie das Token innerhalb von fünf Minuten.',
  'invitation.used':
    'Diese Einladung wurde benutzt: Ihre Schlüssel sind registriert. Melden Sie sich mit einem davon an.',
  'invitation.expired': 'Diese Einladung ist abgelaufen. Bitten Sie um eine neue.',
  'invitation.revoked': 'Diese Einladung wurde zurückgezogen. Fragen Sie den Absender.',
  'invitation.locked':
    'Diese Einladung wurde zu oft mit falschen Namen benutzt. Bitten Sie um eine neue.',
  'invitation.wornOut':
    'Mit dieser Einladung wurden zu viele Registrierungen begonnen. Bitten Sie um eine neue.',
  'invitation.needsTokens':
    'Tokens sind ausgeschaltet, und jeder Schlüssel nach dem ersten braucht eines: „minKeys“ kann nur 1 sein.',
  'invitation.noPage':
    'Es gibt keine Seite, zu der eingeladen werden kann: Setzen Sie „enrolmentUrl“ der Relying Party, oder erlauben Sie den Origin dieses Servers unter ihren „origins“.',
  'user.unknown': 'Diesen Benutzer gibt es nicht.',
  'user.unknownHere': 'Diesen Benutzer gibt es bei dieser Relying Party nicht.',
  'user.noMatch': 'Kein Benutzer und kein Gerät passt dazu.',
  'user.changing': 'Dieser Benutzer wird gerade von anderen geändert.',
  'user.nameTaken':
    'Ein anderer Benutzer dieser Relying Party oder der anderen Domain eines Umzugs hat diesen Namen.',
  'user.nothingToChange':
    'Nennen Sie, was sich ändern soll: „newUsername“, „displayName“ oder beides.',
  'user.nothingKept': 'Von diesem Namen ist nichts aufbewahrt.',
  'filter.needed': '„{{type}}“ braucht einen „filter“.',
  'filter.everybody': 'Dieser Filter passt zu allen: Er braucht „confirm“ mit dem Wert „all“.',
  'filter.deviceNeeded': '„{{type}}“ braucht ein „device“.',
  'filter.noDevice': '„{{type}}“ nimmt kein „device“ an.',
  'filter.noPage': '„{{type}}“ nimmt weder „limit“ noch „cursor“ an: Es ändert alles, was passt.',
  'bulk.unconfirmed':
    'Geben Sie zur Bestätigung die Zahl der Benutzer ein. Es wurde nichts geändert.',
  'cursor.wrong': '„cursor“ muss das „next“ einer Antwort sein.',
  'cursor.notOfPage': '„cursor“ muss der einer Seite sein.',
  'cursor.after': '„after“ muss das „next“ einer Antwort sein, oder 0.',
  'cursor.epoch':
    'Ein Backup wurde zurückgespielt, und worauf „after“ folgt, gibt es nicht mehr: mit „next“ geht es weiter. Ereignisse können sich wiederholen.',
  'cursor.afterAlone': '„after“ geht nur zusammen mit „limit“, nicht mit „{{name}}“.',
  'receipt.unknown': 'Diesen Nachweis gibt es nicht.',
  'nothing.matches': 'Nichts passt dazu.',
  'lists.tooManyReaders':
    'Sie lesen schon {{most}} ganze Listen. Lesen Sie eine nach der anderen, oder mit „limit“ Seite für Seite.',
  'lists.tooManyUploads': 'Sie senden schon {{most}} Listen. Warten Sie, bis eine angekommen ist.',
  'list.tooLong': 'Eine Liste hat höchstens 1.000.000 Namen.',
  'list.empty': 'Die Liste enthält keinen Benutzernamen.',
  'list.begun': 'Das Löschen nach dieser Liste hat begonnen: Sie nimmt keine Namen mehr an.',
  'list.gone':
    'Diese Liste ist nicht mehr da: Listen werden eine Stunde aufbewahrt. Laden Sie sie noch einmal hoch.',
  'list.unknownUpload':
    '„uploadId“ muss die einer Liste sein, die Sie vor Kurzem hochgeladen haben.',
  'list.usersOrUpload': 'Senden Sie eine Datei, „users“ oder eine „uploadId“.',
  'list.notNames': 'Die Datei muss eine Liste von Namen sein, als Text in UTF-8.',
  'list.lineTooLong': 'Zeile {{line}} ist zu lang.',
  'file.missing': 'Es wurde keine Datei hochgeladen.',
  'file.needed': 'Eine Datei fehlt.',
  'file.neededIn': 'Eine Datei im Feld „{{field}}“ fehlt.',
  'file.oneOnly': 'Es muss eine Datei sein, und keine andere.',
  'file.oneOnlyIn': 'Es muss eine Datei im Feld „{{field}}“ sein, und keine andere.',
  'file.late': 'Vor der Datei steht zu viel.',
  'file.tooManyParts': 'Der Inhalt hat zu viele Teile (multipart).',
  'file.cut': 'Der Inhalt (multipart) ist fehlerhaft oder abgeschnitten.',
  'file.spreadsheet':
    'Das ist eine Tabellendatei. Öffnen Sie sie, speichern Sie sie als „CSV UTF-8“ (Excel: Datei, Speichern unter; LibreOffice: Speichern unter, Text CSV), und laden Sie dann diese Datei hoch.',
  'file.notUtf8': 'Die Datei muss Text in UTF-8 sein: Speichern Sie sie als „CSV UTF-8“.',
  'file.notCsv': 'Die Datei ist kein wohlgeformtes CSV.',
  'file.notJson': 'Die Datei ist kein wohlgeformtes JSON.',
  'file.jsonCut': 'Die Datei ist kein vollständiges JSON-Dokument.',
  'file.jsonSeveral': 'Die Datei ist nicht ein einzelnes JSON-Dokument.',
  'file.jsonTooDeep': 'Die Datei ist zu tief verschachtelt.',
  'file.jsonOther': 'Die Datei ist nicht das erwartete JSON-Dokument.',
  'file.empty': 'Die Datei ist leer.',
  'import.recordTooLong': 'Ein Datensatz hat höchstens {{most}} Bytes.',
  'import.recordNotUtf8': 'Der Datensatz ist kein Text in UTF-8.',
  'import.recordNotObject': 'Der Datensatz ist kein JSON-Objekt.',
  'import.recordType': '„type“ muss „user“ sein.',
  'import.firstLine':
    'Die erste Zeile muss sagen, dass es Version {{version}} von „{{format}}“ ist.',
  'import.otherRelyingParty':
    'Der Export gehört zu einer anderen Relying Party: Schlüssel sind an ihre RP-ID gebunden und wären hier nutzlos.',
  'import.cut': 'Die letzte Zeile fehlt: Der Export wurde abgeschnitten.',
  'import.underWay':
    'Ein anderer Import dieser Relying Party hat begonnen, oder sie wurde entfernt.',
  'import.contended':
    'Die Benutzer dieses Imports werden gerade von anderen geändert: Beginnen Sie von vorn.',
  'import.handleLength': 'Der User Handle muss 1 bis {{most}} Bytes haben.',
  'import.handleMissing': 'Der User Handle fehlt.',
  'import.handleTaken': 'Ein anderer Benutzer hat diesen User Handle.',
  'import.nameTaken': 'Ein Benutzer dieses Namens ist schon da, mit einem anderen User Handle.',
  'import.userIdTaken': 'Ein anderer Benutzer hat diese „userId“.',
  'import.credentialTaken': 'Ein anderer Benutzer hat diesen Schlüssel.',
  'import.tooManyKeys': 'Ein Benutzer hat höchstens {{most}} Schlüssel.',
  'import.credentialId': 'Die Credential-ID fehlt oder lässt sich nicht lesen.',
  'import.credentialIdLength': 'Eine Credential-ID hat höchstens {{most}} Bytes.',
  'import.publicKey': 'Der öffentliche Schlüssel fehlt oder lässt sich nicht lesen.',
  'import.aaguid': 'Die AAGUID muss eine UUID sein.',
  'import.rpId': 'Der Schlüssel wurde für eine andere RP-ID registriert.',
  'import.attestation': 'Die Attestierung beweist diesen Schlüssel nicht.',
  'tenant.unknown': 'Diesen Mandanten gibt es nicht.',
  'tenant.taken': 'Einen Mandanten „{{name}}“ gibt es schon.',
  'tenant.noRelyingParty': 'Der Mandant hat keine solche Relying Party.',
  'tenant.noDomain': 'Der Mandant „{{tenant}}“ hat keine Relying Party „{{domain}}“.',
  'relyingParty.taken': 'Die Domain „{{domain}}“ gehört schon zu einer Relying Party.',
  'relyingParty.choose': 'Diese Relying Party gibt es nicht, oder Sie müssen eine wählen.',
  'relyingParty.changing': 'Diese Relying Party wird gerade von anderen geändert.',
  'resource.changed':
    'Das wurde geändert, seit Sie es gelesen haben. Lesen Sie es erneut und ändern Sie es dann.',
  'relyingParty.named':
    '„{{successor}}“ übernimmt die Benutzer von „{{domain}}“: Beenden Sie das zuerst.',
  'domain.notOwn':
    '„{{domain}}“ liegt nicht bei oder unter einer Domain Ihrer Mandanten: Jemand, der alle Mandanten verwaltet, kann sie hinzufügen.',
  'domain.taken':
    '„{{domain}}“ liegt bei, über oder unter etwas, das ein anderer Mandant hat: Jemand, der alle Mandanten verwaltet, kann sie hinzufügen.',
  'origins.notEncrypted':
    'Nicht verschlüsselt: {{origins}}. Browser bieten auf solchen Seiten keine Schlüssel an, und wer unterwegs mithört, kann sie ändern: Schreiben Sie https://.',
  'relatedOrigins.tooMany':
    'Browser müssen nur {{most}} verschiedene Namen unter den verwandten Origins unterstützen: In der Reihenfolge der Liste können diese wegfallen: {{beyond}}.',
  'enrolmentUrl.otherOrigin': '„enrolmentUrl“ muss auf einem der Origins der Relying Party liegen.',
  'wellKnown.nothing': 'Für diese Domain ist nichts als „{{name}}“ veröffentlicht.',
  'predecessor.otherTenant':
    '„predecessor“ muss eine andere Relying Party desselben Mandanten sein.',
  'predecessor.moving':
    '„predecessor“: ein Umzug nach dem anderen. Diese oder jene zieht schon um.',
  'predecessor.taken':
    '„predecessor“: Eine andere Relying Party übernimmt die Benutzer von „{{predecessor}}“.',
  'predecessor.open':
    '„predecessor“: Die alte Domain muss Tickets verlangen („policy.registration“: „ticket“) oder Anwendungsschlüssel („policy.callers“: „keys“), sonst könnte sich jeder, der dort einen Namen registriert, damit bei der neuen anmelden.',
  'predecessor.case':
    '„predecessor“: Wo Groß- und Kleinschreibung in Benutzernamen der neuen Domain nicht zählt, darf sie auch bei der alten nicht zählen („policy.usernames“: „case-insensitive“).',
  'successor.open':
    '„{{successor}}“ übernimmt die Benutzer: Die alte Domain muss Tickets verlangen („policy.registration“: „ticket“) oder Anwendungsschlüssel („policy.callers“: „keys“), sonst könnte sich jeder, der dort einen Namen registriert, damit bei der neuen anmelden.',
  'successor.case':
    '„{{successor}}“ übernimmt die Benutzer: Wo Groß- und Kleinschreibung in Benutzernamen der neuen Domain nicht zählt, darf sie auch bei der alten nicht zählen („policy.usernames“: „case-insensitive“).',
  'policy.notObject': '„policy“ muss ein Objekt sein.',
  'policy.unknownMember': 'Eine Richtlinie kennt {{names}}.',
  'policy.oneOf': '„policy.{{rule}}“ muss eines davon sein: {{words}}.',
  'policy.certificates':
    '„policy.{{rule}}“ muss eine Liste von höchstens {{most}} Zertifikaten in PEM sein.',
  'policy.origins': '„policy.{{rule}}“ muss eine Liste von höchstens {{most}} Origins sein.',
  'policy.audiences':
    '„policy.{{rule}}“ muss eine Liste von höchstens {{most}} Namen aus 1 bis 255 sichtbaren Zeichen sein.',
  'policy.ruleOneOf':
    '„policy.{{rule}}“ muss eines von {{words}} sein, allein oder als {"mode": "off", "report" oder "enforce", "value": …}.',
  'policy.ruleSomeOf':
    '„policy.{{rule}}“ muss eine Liste von 1 bis {{most}} aus {{words}} sein, allein oder als {"mode": "off", "report" oder "enforce", "list": …}.',
  'policy.ruleAaguids':
    '„policy.{{rule}}“ muss eine Liste von 1 bis {{most}} AAGUIDs als UUIDs mit Bindestrichen sein, allein oder als {"mode": "off", "report" oder "enforce", "list": …}.',
  'policy.ruleAlgorithms':
    '„policy.{{rule}}“ muss eine Liste von 1 bis {{most}} Algorithmen wie es256 sein, allein oder als {"mode": "off", "report" oder "enforce", "list": …}.',
  'policy.ruleNumber':
    '„policy.{{rule}}“ muss eine ganze Zahl von 1 bis {{max}} sein, allein oder als {"mode": "off", "report" oder "enforce", "value": …}.',
  'policy.ruleStatus':
    '„policy.{{rule}}“ muss ein Objekt aus Status der Metadaten sein, je mit accept, warn oder refuse, und vielleicht „mode“.',
  'policy.pretendMoving':
    '„policy.unknownUsers“ kann nicht „pretend“ sein, wo Benutzer von einer Domain zu einer anderen umziehen: Wem die neue Schlüssel der alten anbietet, der ist dort bekannt.',
  'policy.pretendOpen':
    '„policy.unknownUsers“ kann nur neben „registration“: „ticket“ oder „callers“: „keys“ auf „pretend“ stehen: Sonst verrät der Beginn einer Registrierung, welche Namen bekannt sind.',
  'policy.namesCollide':
    '„policy.usernames“: {{names}} wären ein Benutzer. Benennen Sie zuerst alle bis auf einen um, oder löschen Sie sie.',
  'policy.manyNamesCollide':
    '„policy.usernames“: {{names}} wären ein Benutzer, und andere ebenso. Benennen Sie zuerst jeweils alle bis auf einen um, oder löschen Sie sie.',
  'policy.hiddenNamesCollide':
    '„policy.usernames“: Mehrere Benutzer wären ein Benutzer. Benennen Sie zuerst jeweils alle bis auf einen um, oder löschen Sie sie.',
  'policy.beingTried':
    'Hier wird gerade eine Richtlinie ausprobiert. Warten Sie, bis das fertig ist.',
  'preset.unknown': 'Diese Vorlage gibt es nicht.',
  'applicationKey.unknown': 'Diesen Anwendungsschlüssel gibt es nicht.',
  'applicationKey.past': '„expiresAt“ muss in der Zukunft liegen.',
  'whitelist.off': 'Die Positivliste ist ausgeschaltet: Starten Sie den Server mit --aaguid on.',
  'whitelist.notOn': 'Diese AAGUID steht nicht auf der Positivliste.',
  'whitelist.takenOff': 'Das Modell wurde inzwischen von der Liste genommen.',
  'metadata.off':
    'Die FIDO-Metadaten sind ausgeschaltet: Starten Sie den Server mit --mds und einer Datei, einer URL oder „upload“.',
  'metadata.tooLarge': 'Der BLOB ist größer als 32 MiB.',
  'metadata.contentType': 'Senden Sie den BLOB als {{types}}.',
  'metadata.nameSource': 'Nennen Sie die Quelle in „source“: eine von {{labels}}.',
  'metadata.noJws': 'Das ist kein BLOB mit Metadaten: Erwartet wird ein signiertes JWT.',
  'metadata.algorithm':
    'Die Metadaten sind mit einem Algorithmus signiert, der nicht angenommen wird.',
  'metadata.certificates': 'Die Zertifikate der Metadaten fehlen oder sind fehlerhaft.',
  'metadata.signature': 'Die Signatur der Metadaten stimmt nicht.',
  'metadata.noRoot': 'Die Zertifikate der Metadaten führen zu keiner vertrauten Wurzel.',
  'metadata.revoked':
    'Eine Zertifizierungsstelle hat ein Zertifikat des Unterzeichners der Metadaten widerrufen.',
  'metadata.payload': 'Die Metadaten haben nicht die Form des FIDO Metadata Service, Version 3.',
  'metadata.notNewer': 'Nummer {{no}} vom {{day}} ist nicht neuer als {{here}}, die schon da ist.',
  'metadata.overtaken': 'Eine andere Instanz hat inzwischen einen BLOB dieser Quelle übernommen.',
  'invoice.unknown': 'Eine Rechnung dieser Nummer gibt es nicht.',
  'invoice.future': 'Der Tag liegt in der Zukunft.',
  'invoice.notInvoice': 'Nur eine Rechnung kann storniert werden.',
  'invoice.several':
    'Diese Rechnung ist aus der Zeit, bevor jeder Mandant seine eigene hatte, und zeigt mehrere.',
  'invoice.lastDocument':
    'Ein Backup wurde zurückgespielt: gespeichert wird erst, wenn der letzte verschickte Beleg genannt ist (servicefido document last NUMMER).',
  'invoice.lost':
    'Diese Belege sind verloren, seit ein Backup zurückgespielt wurde: {{numbers}}. Jeder ist zuerst wieder einzugeben oder zu stornieren (servicefido document).',
  'invoice.buyerIncomplete':
    'Es wurde nichts gespeichert: Für die elektronische Rechnung an „{{tenant}}“ fehlen Angaben in der Abrechnungsdatei: {{missing}}.',
  'invoice.notElectronic': 'Dieser Beleg hat keine elektronische Fassung.',
  'document.noRestore':
    'Es gibt keine Wiederherstellung, die auf die Nummer des letzten Belegs wartet.',
  'document.unnamed':
    'Auch die letzte Nummer der Reihe „{{series}}“ ist zu nennen, durch Komma getrennt; 0, wenn keiner verschickt wurde.',
  'document.kept': 'Das Backup hat die Nummer {{number}}, die größer ist.',
  'document.number':
    'Die letzten Belege sind Nummern wie 12 oder R1-12, durch Kommas getrennt; 0, wenn keiner verschickt wurde.',
  'document.notLost': 'Es ist kein Beleg mit dieser Nummer verloren.',
  'document.stored': 'Er oder ein anderer desselben Monats ist schon gespeichert.',
  'document.form':
    'Die Datei muss eine Rechnung oder Gutschrift sein, wie sie GET /userapi/invoices/NUMMER beantwortet hat, von einem Mandanten, den es gibt.',
  'webhook.unknown': 'Diesen Webhook gibt es nicht.',
  'webhook.tooMany': 'Ein Mandant hat höchstens {{most}} Webhooks.',
  'webhook.notPublic': '„url“ muss eine https://-Adresse eines öffentlichen Hosts sein.',
  'webhook.beingTested': 'Ein Test dieses Webhooks läuft schon.',
  'console.off':
    'Hier gibt es keine Anmeldeseite: Der Server wurde mit --console basic oder --auth off gestartet.',
  'console.signIn': 'Melden Sie sich zuerst an.',
  'console.signInAgain': 'Melden Sie sich zuerst noch einmal an: Es wurde nichts geändert.',
  'console.wrongPassword': 'Der Name oder das Passwort ist falsch.',
  'console.wrongKey': 'Dieser Schlüssel meldet hier nicht an.',
  'console.passwordFirst': 'Dieses Konto verlangt zuerst sein Passwort und dann den Schlüssel.',
  'console.keyNeeded': 'Dieses Konto verlangt auch einen Schlüssel.',
  'console.otherKeyNeeded':
    'Dieser Schlüssel kann noch nicht allein anmelden: Benutzen Sie auch einen geprüften Schlüssel des Kontos.',
  'console.needsHostName':
    'Dieses Konto verlangt einen Schlüssel: Rufen Sie diesen Server unter seinem Namen auf, nicht unter einer IP-Adresse.',
  'console.wrongTooOftenMinute': 'Das war zu oft falsch. Versuchen Sie es in 1 Minute noch einmal.',
  'console.wrongTooOften':
    'Das war zu oft falsch. Versuchen Sie es in {{minutes}} Minuten noch einmal.',
  'session.unknown': 'Diese Sitzung gibt es nicht mehr: Sie ist zu Ende.',
  'account.unknown': 'Dieses Konto gibt es nicht.',
  'account.beyondRights':
    'Konten können nur Rechte bekommen, die Sie selbst haben: Kreuzen Sie mindestens einen Ihrer Mandanten an und keinen anderen.',
  'account.unknownTenant': 'Es gibt keinen Mandanten „{{tenant}}“.',
  'account.taken': 'Es gibt schon ein Konto dieses Namens.',
  'account.configured':
    'Dieses Konto steht in der Konfiguration des Servers (--admin-user, --accounts): Ändern Sie es dort.',
  'account.shadowed':
    'Ein Konto dieses Namens wurde auf der Seite angelegt: Es muss zuerst dort entfernt werden.',
  'account.own': 'Ihr eigenes Konto muss jemand anderes mit der Rolle admin ändern.',
  'account.wrongPassword': 'Das ist nicht Ihr aktuelles Passwort.',
  'account.passwordBlank':
    'Das neue Passwort darf nicht mit einem Leerzeichen beginnen oder enden.',
  'account.passwordsDiffer': 'Das neue Passwort ist nicht zweimal dasselbe.',
  'account.typeToRemove': 'Geben Sie zur Bestätigung {{name}} ein. Es wurde nichts entfernt.',
  'account.linkOver':
    'Dieser Link gilt nicht mehr: Er wurde benutzt oder ersetzt, oder seine Zeit ist abgelaufen. Bitten Sie die Administration um einen neuen.',
  'account.keyDemanded':
    'Für dieses Konto ist ein zweiter Faktor vorgeschrieben: Das Passwort allein genügt nicht.',
  'account.first.password':
    'Melden Sie sich zuerst auf der Seite an und wählen Sie ein eigenes Passwort: Das jetzige ist auch der Administration bekannt.',
  'account.first.key':
    'Melden Sie sich zuerst auf der Seite an und fügen Sie einen Schlüssel hinzu: Für dieses Konto ist ein zweiter Faktor vorgeschrieben.',
  'accountKey.unknown': 'Diesen Schlüssel gibt es nicht.',
  'accountKey.notAdded':
    'Der Schlüssel wurde nicht hinzugefügt: Seine Antwort stimmt nicht. Versuchen Sie es noch einmal.',
  'accountKey.tooMany': 'Ein Konto hat höchstens {{most}} Schlüssel.',
  'accountKey.last':
    'Es ist der letzte Schlüssel, mit dem sich dieses Konto anmeldet: Wählen Sie zuerst das Passwort.',
  'accountKey.addFirst': 'Fügen Sie zuerst einen Schlüssel hinzu.',
  'accountKey.addVerifiedFirst':
    'Fügen Sie zuerst einen Schlüssel hinzu, der PIN, Fingerabdruck oder Gesicht verlangt, oder benutzen Sie einen solchen einmal neben dem Passwort.',
  'accountKey.noneSent': 'Der Browser hat keinen Schlüssel gesendet. Versuchen Sie es noch einmal.',
  'form.role': 'Wählen Sie eine Rolle.',
  'form.start': 'Wählen Sie einen Einrichtungslink oder ein erstes Passwort.',
  'form.tenantNames': 'Schreiben Sie die Kurznamen von Mandanten, jeden einmal.',
  'form.accountName':
    'Schreiben Sie einen Namen ohne Doppelpunkt und ohne Leerzeichen am Anfang oder Ende.',
  'form.presentPassword': 'Geben Sie Ihr jetziges Passwort ein.',
  'form.password': 'Geben Sie 12 bis 256 Zeichen ein.',
  'form.onceMore': 'Geben Sie es noch einmal ein.',
  'form.keyName': 'Schreiben Sie einen Namen aus 1 bis {{most}} Zeichen.',
  'form.noKey': 'Der Browser hat keinen Schlüssel gesendet.',
  'form.signInRule': 'Wählen Sie, wie Sie sich anmelden.',
  'form.typeToDelete': 'Geben Sie zur Bestätigung {{name}} ein. Es wurde nichts gelöscht.',
  'form.choose': 'Wählen Sie einen der Werte.',
  'form.tick': 'Kreuzen Sie mindestens eines an.',
  'form.tickModels': 'Kreuzen Sie die gemeinten Modelle an, und speichern Sie dann.',
  'form.aaguids': 'Schreiben Sie 1 bis 500 AAGUIDs als UUIDs mit Bindestrichen, eine je Zeile.',
  'form.statuses':
    'Schreiben Sie in jede Zeile einen Status der Metadaten und accept, warn oder refuse.',
  'form.wholeNumber': 'Schreiben Sie eine ganze Zahl von 1 bis 100.',
  'form.audiences':
    'Schreiben Sie Namen oder Adressen ohne Leerzeichen, etwa https://api.example.com, je Zeile eine.',
  'form.topOrigins': 'Schreiben Sie Origins wie https://portal.example.com, einen je Zeile.',
  'form.anchors': 'Fügen Sie höchstens 20 Zertifikate in PEM ein, und sonst nichts.',
  'form.relatedOrigins':
    'Schreiben Sie Origins wie https://www.example.org, einen je Zeile, ohne Platzhalter.',
  'form.androidApps':
    'Schreiben Sie in jede Zeile ein Paket und seine SHA-256-Fingerabdrücke: com.example.app AB:CD:…',
  'form.appleApps':
    'Schreiben Sie in jede Zeile ein Team und ein Bundle: TEAMID1234.com.example.app',
  'form.httpsAddress': 'Schreiben Sie eine Adresse, die mit https:// beginnt.',
  'form.enrolmentUrl': 'Schreiben Sie eine Adresse, die mit https:// beginnt und kein # enthält.',
  'form.colour': 'Schreiben Sie eine Farbe wie #1f6feb.',
  'form.predecessor': 'Schreiben Sie die Domain einer anderen Relying Party dieses Mandanten.',
  'feature.off': 'Diese Funktion ist ausgeschaltet.',
  'server.internal': 'Es ist ein interner Fehler aufgetreten.',
  'server.storageFull': 'Der Speicher ist voll.',
  'server.unavailable': 'Der Dienst ist im Moment nicht verfügbar. Versuchen Sie es noch einmal.',
  'server.notReady': 'Diese Instanz ist nicht bereit.',
  'database.unavailable': 'Die Datenbank antwortet nicht.',
  'audit.stopped': 'Das Protokoll nimmt von dieser Instanz keine Zeilen an. Ihr Log sagt, warum.',
  'audit.altered':
    'Zeile {{row}} des Protokolls wurde verändert, daher wurde keine Zeile gelöscht. Führen Sie „servicefido audit verify“ aus.',
  'signingKey.unknown': 'Einen Signaturschlüssel mit dieser kid gibt es nicht.',
} as const satisfies Readonly<Record<Reason, string>>;
