import { Global, Module } from '@nestjs/common';
import { Banners } from './banners.js';
import { OptionalSignIn } from './optional-sign-in.js';

@Global()
@Module({ providers: [Banners, OptionalSignIn], exports: [Banners, OptionalSignIn] })
export class PresentationModule {}
