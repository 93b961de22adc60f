/**
 * Answers that an authenticator once gave, well formed, as examples in the OpenAPI document and for trying
 * its calls. Their challenge was never issued.
 */
export const CREDENTIAL_ID = 'IJ3nfJ6VxlVLKg4VeX4y2r29oGsedVn3F9lxcuqTBFM';

export const USER_HANDLE = 'Yx3K5NCjZ1eHBbCHLPF0O7vVyVnK4P4eAyVvAAEzq3k';

export const ATTESTATION_RESPONSE = {
  clientDataJSON:
    'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIiwiY2hhbGxlbmdlIjoib1c1RVFUY1dXbVZjVnNDUnRTWkpYUU9YQkJIYkdkMXZ2' +
    'akhHU1VwOG1YcyIsIm9yaWdpbiI6Imh0dHA6Ly9sb2NhbGhvc3Q6ODA4MCIsImNyb3NzT3JpZ2luIjpmYWxzZX0',
  attestationObject:
    'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVikSZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2NFAAAAAV4fHQp-' +
    'V0AAgAAAAAAAAP0AICCd53yelcZVSyoOFXl-Mtq9vaBrHnVZ9xfZcXLqkwRTpQECAyYgASFYIA3H4coO3b1CjM7ZmthVFA2n' +
    'diu7jpv36a2MciHlhIzvIlgg29skNUgaWF6b_owxChyLjWUzA1UNtR35yqvzgT06rqE',
};

export const ASSERTION_RESPONSE = {
  clientDataJSON:
    'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoib1c1RVFUY1dXbVZjVnNDUnRTWkpYUU9YQkJIYkdkMXZ2akhH' +
    'U1VwOG1YcyIsIm9yaWdpbiI6Imh0dHA6Ly9sb2NhbGhvc3Q6ODA4MCIsImNyb3NzT3JpZ2luIjpmYWxzZX0',
  authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAg',
  signature:
    'MEUCIAEwbOKIBe-6x_3nFTy4EMOgTqrsOaS7h0cy6faMjvR6AiEAgiSx7dYyFSm3jMNvbwMvAdP5X_Xc7cGriM3WNDRNNvk',
};
