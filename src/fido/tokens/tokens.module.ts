import { Module } from '@nestjs/common';
import { JwtModule, JwtSecretRequestType, JwtService, type JwtModuleOptions } from '@nestjs/jwt';
import { TypeOrmModule } from '@nestjs/typeorm';
import { JwksController } from './jwks.controller.js';
import { SigningKeyEntity } from './signing-key.entity.js';
import { SigningKeys } from './signing-keys.js';
import { TokenService, type DecodedToken } from './token.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([SigningKeyEntity])],
  providers: [SigningKeys],
  exports: [SigningKeys],
})
class SigningKeysModule {}

const READER = new JwtService();

/** Signs and verifies with a single algorithm, so that a token cannot choose its own. */
const jwtOptions = (keys: SigningKeys): JwtModuleOptions => ({
  // The claims object is created for the token alone and need not be copied.
  signOptions: { algorithm: 'ES256', mutatePayload: true },
  verifyOptions: { algorithms: ['ES256'] },
  secretOrKeyProvider: (request, token) => {
    if (request === JwtSecretRequestType.SIGN) return keys.current.privateKey;
    const { header } = READER.decode<DecodedToken>(String(token), { complete: true });
    const key = keys.find(header.kid);
    if (!key) throw new Error('The token names none of our keys.');
    return key.publicKey;
  },
});

/** The tokens of sign-ins, and the keys that sign them. */
@Module({
  imports: [
    SigningKeysModule,
    JwtModule.registerAsync({
      imports: [SigningKeysModule],
      inject: [SigningKeys],
      useFactory: jwtOptions,
    }),
  ],
  controllers: [JwksController],
  providers: [TokenService],
  exports: [TokenService, SigningKeysModule],
})
export class TokensModule {}
