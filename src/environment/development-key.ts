/** The signing key of every Understudy process, public on purpose: nobody must trust these tokens elsewhere. */
export const DEVELOPMENT_KEY = {
  kid: 'snk_10000000000000001',
  alg: 'RS256' as const,
  use: 'sig' as const,
  kty: 'RSA' as const,
  n: [
    'wmjh2DT30Cx7aEWiF8E6zB2ywcdD0T89PknLGp3dP_I-WtcsadEHiq9H_IgdAHxsfAhLpycd3UD5c4zwnqJvr0eDVJClQ1_g',
    'fGb-nbTvot_7NHk2N1aHqp13KUi_U7SSq--PAxNVjPz9Ksyu4LCyhNnnDs6uXvX36eUI6XxecU128THTbl4GoW5gk8wCnf0M',
    'FZBT48EbKD2bdS0bYMpnNJAGx99lu5T1ZC1nc_7aV2QpqaGoXL4VOjSiwD9e6OvmdMeGaHQ1uZf9cA4nNwswrFj8QIh5p7YG',
    'eYVF1ADtCjqEQAMz0gheFXvODaU_x93rCLUH49QNJU8DnaE_Yv1-4Q',
  ].join(''),
  e: 'AQAB',
  d: [
    'CAbQNZ7bkRxCYh08jTIyAnBtdiO120NQUiyLdrIINauDmI45bAsF09uFzi7efQEmHNQzhMIQMReNf7r_dO_sSuEvJ8QrFpuJ',
    'nLPx6kKorDcG25_vivGx0JZcxPcXHdZ0QdC2Z7WaJXk33gGtF2N5k2jzFGuYdnI9sJ9UsrMrAQ7Ty3fPvVy7zbdCwx57u4Zd',
    '6HeXJdWJUSg3CCniP6ODUcRXmgAz9UCKa-XzxA7Ttnm62O5FZWaXrhujMjBSKA0hLnVzjt-KDmt5yaNWK2rR6cdEzc47tAJn',
    'cTWBeujMA7NtKa887QtA8irbkNx8kqCkBHbPZHSRVYOZHrSVelhR2Q',
  ].join(''),
  p: [
    '4HpoxLysfqeQOvnkcId8zlj7MnWwgAOwNlGSZrYC9GvAbIvmOHiaEHZDVpTubf3ppoeYJU3wwI5iJg0CdzzTod-4tiRdCm8i',
    'DUX516t9kct5jaEtALwEE__eOp25KB61t5tYEMFu5Qjc71EqozjP1ovtGUGPh0IIyQwTjtMvJTU',
  ].join(''),
  q: [
    '3bWQqmwUGXnSfwDth4W0wZuUVM9_BJFZ7MZLflvNTWsZjY45W6wbrRVc8F8oabQOxIp1x0V864Y3UCOqPe__fU8AhpjKBV8p',
    'XOiEsc45FiQrvk8XtvZQF9Hhszt9P0BfxbXdjcpNgGus4cJC0DyhDzHx16ZjEg-nLQ7Qa4TFhH0',
  ].join(''),
  dp: [
    'Bxt5E7mRkJUHmQZueC2iAvqIQYm-Y986Bg5BH2Vl5I1A027-hA01e43zBdvDTNI8QpyKcavtEnuvmdrRmCrh3H8z3vh5xanN',
    'HzR2-6AfYq1ZlOVkgmBxlJyGUb7KrP2D7WNKv4UQWMoWDLG6Mt7KndViVWlg_PxXQN5UBDKljH0',
  ].join(''),
  dq: [
    'y_xjsAlkrNPjEis-YDRqzL9iSG3pBcDeJfWEPCwmxpZFmnJC38-IX0WKjzZeLnMWK0rhdoi-mMySU8-csQQB478uUqh9J1gY',
    '7HyaqiV9bJu3C5Al15bktiXLLWcMo4eNFpFv2SdLC18GX2impIVEAoEHbEyQVmvEerZomKQ-Ptk',
  ].join(''),
  qi: [
    'NUyQzsbZLZaOYGf9Juakkj2OvGFG534XId0GsF5qZ2qZU-kD6PhB0wxyX9jo9xM8t8HcNwy-ze_grpvrG1k_khnaMOFTlcDA',
    'NzU0-Qm-yc6utCDy65wg59o75JU8LSk5amy2bfJpooutUIpQaJWQP24j21JI_x8YA286E2DXvyo',
  ].join(''),
};
